import { chmodSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SluiceError } from '../../src/base/errors.js'
import { loadConfig } from '../../src/config/load-config.js'
import { rememberTrust } from '../../src/config/trust.js'
import { testEnvironment, thrownBy, writeTo } from '../support/environment.js'

const ECHO = { mcpServers: { echo: { command: 'echo' } } }

describe('the order of places', () => {
  it('takes --config before everything else', () => {
    const environment = testEnvironment({ SLUICE_CONFIG: 'missing.json' })
    const file = writeTo(environment.cwd, 'given.json', ECHO)
    expect(loadConfig({ environment, path: 'given.json' }).origin).toBe(file)
  })

  it('takes $SLUICE_CONFIG, relative to the current folder', () => {
    const environment = testEnvironment({ SLUICE_CONFIG: 'sub/mine.json' })
    const file = writeTo(environment.cwd, 'sub/mine.json', ECHO)
    writeTo(environment.cwd, 'sluice.json', ECHO)
    expect(loadConfig({ environment }).origin).toBe(file)
  })

  it('goes no further when a named file is missing', () => {
    const environment = testEnvironment({ SLUICE_CONFIG: 'missing.json' })
    writeTo(environment.configDir, 'sluice.json', ECHO)
    const error = thrownBy<SluiceError>(() => loadConfig({ environment }))
    expect(error).toMatchObject({ code: 'CONFIG_MISSING' })
    expect(error.detail).toContain(path.join(environment.cwd, 'missing.json'))
  })

  it('treats an empty $SLUICE_CONFIG as not set', () => {
    const environment = testEnvironment({ SLUICE_CONFIG: '' })
    const file = writeTo(environment.configDir, 'sluice.json', ECHO)
    expect(loadConfig({ environment }).origin).toBe(file)
  })

  it('uses ./sluice.json only when it is trusted, and asks again when it has changed', () => {
    const environment = testEnvironment()
    writeTo(environment.configDir, 'sluice.json', ECHO)
    const file = writeTo(environment.cwd, 'sluice.json', ECHO)
    const unknown = thrownBy<SluiceError>(() => loadConfig({ environment }))
    expect(unknown).toMatchObject({ code: 'CONFIG_UNTRUSTED' })
    expect(unknown.detail).toMatch(/sluice\.json.*new/)
    rememberTrust({ path: file, bytes: Buffer.from(JSON.stringify(ECHO)) }, environment.dataDir)
    expect(loadConfig({ environment }).origin).toBe(file)
    writeTo(environment.cwd, 'sluice.json', { mcpServers: { echo: { command: 'evil' } } })
    const changed = thrownBy<SluiceError>(() => loadConfig({ environment }))
    expect(changed).toMatchObject({ code: 'CONFIG_UNTRUSTED' })
    expect(changed.detail).toContain('changed')
  })

  it('needs no trust for a ./sluice.json that --config names', () => {
    const environment = testEnvironment()
    writeTo(environment.cwd, 'sluice.json', ECHO)
    expect(loadConfig({ environment, path: './sluice.json' }).servers).toHaveLength(1)
  })

  it('takes sluice.jsonc of the user folder after sluice.json', () => {
    const environment = testEnvironment()
    const second = writeTo(environment.configDir, 'sluice.jsonc', ECHO)
    expect(loadConfig({ environment }).origin).toBe(second)
    const first = writeTo(environment.configDir, 'sluice.json', ECHO)
    expect(loadConfig({ environment }).origin).toBe(first)
  })

  it('needs no trust in the user folder itself', () => {
    const environment = testEnvironment()
    const file = writeTo(environment.configDir, 'sluice.json', ECHO)
    expect(loadConfig({ environment: { ...environment, cwd: environment.configDir } }).origin).toBe(file)
  })

  it('says CONFIG_NONE when there is no file anywhere', () => {
    expect(thrownBy(() => loadConfig({ environment: testEnvironment() }))).toMatchObject({ code: 'CONFIG_NONE' })
  })

  it('names a folder that was given for a file', () => {
    const environment = testEnvironment()
    const error = thrownBy<SluiceError>(() => loadConfig({ environment, path: environment.cwd }))
    expect(error).toMatchObject({ code: 'CONFIG_MISSING' })
    expect(error.detail).toContain('is a folder')
  })

  it('reports an unreadable file of the user folder instead of passing it over', () => {
    const environment = testEnvironment()
    mkdirSync(path.join(environment.configDir, 'sluice.json'), { recursive: true })
    expect(thrownBy(() => loadConfig({ environment }))).toMatchObject({ code: 'CONFIG_MISSING' })
  })

  it('reports a file without read permission', () => {
    const environment = testEnvironment()
    chmodSync(writeTo(environment.cwd, 'given.json', ECHO), 0o000)
    if (process.getuid?.() === 0) return
    expect(thrownBy(() => loadConfig({ environment, path: 'given.json' }))).toMatchObject({ code: 'CONFIG_MISSING' })
  })
})
