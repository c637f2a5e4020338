import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SluiceError } from '../../src/base/errors.js'
import { config, configReport } from '../../src/cli/config.js'
import type { Environment } from '../../src/config/environment.js'
import { loadConfig } from '../../src/config/load-config.js'
import { rememberTrust } from '../../src/config/trust.js'
import { testEnvironment, thrownBy, writeTo } from '../support/environment.js'

const TEXT = `// mine
{
  "mcpServers": { "a": { "command": "a", "env": { "T": "s3cr3t" } } }, // servers
  "sluice": {
    // how many
    "maxTools": 12, // a dozen
    "context": { "responses": { "thresholdBytes": "8 KiB" } },
    "clients": { "claude.ai*": { "maxTools": 6 } },
  },
}
`

function run(environment: Environment, ...words: string[]): string {
  let said = ''
  expect(config(words, {}, { environment, write: (text) => (said += text) })).toBe(0)
  expect(said).not.toContain('s3cr3t')
  return said
}

function json(environment: Environment, ...words: string[]) {
  let said = ''
  config(words, { json: true }, { environment, write: (text) => (said += text) })
  return configReport.parse(JSON.parse(said))
}

function failure(environment: Environment, ...words: string[]): string {
  const error = thrownBy<SluiceError>(() => run(environment, ...words))
  expect(error).toMatchObject({ code: 'USAGE' })
  return error.detail
}

function given(text = TEXT): { environment: Environment; file: string; text: () => string } {
  const environment = testEnvironment()
  const file = writeTo(environment.configDir, 'sluice.json', text)
  return { environment, file, text: () => readFileSync(file, 'utf8') }
}

describe('sluice config get and list', () => {
  it('give what is written, and defaults', () => {
    const { environment } = given()
    expect(run(environment, 'get', 'maxTools')).toBe('12\n')
    expect(run(environment, 'get', 'sluice.context.responses.thresholdBytes')).toBe('8 KiB\n')
    expect(run(environment, 'get', 'clients.claude.ai*.maxTools')).toBe('6\n')
    expect(run(environment, 'get', 'clients.other.maxTools')).toBe('12\n')
    expect(run(environment, 'get', 'mode')).toBe('auto\n')
    expect(run(environment, 'get', 'pageSize')).toBe('none\n')
    expect(run(environment, 'get', 'pins')).toBe('[]\n')
    const list = run(environment, 'list')
    expect(list).toContain('\nmaxTools = 12\n')
    expect(list).toContain('\nmode = auto  (default)\n')
    expect(list).toContain('\nclients.claude.ai*.maxTools = 6\n')
    expect(run(environment)).toBe(list)
  })

  it('print JSON of the documented shape', () => {
    const { environment, file } = given()
    expect(json(environment, 'get', 'maxTools')).toEqual({
      file,
      action: 'get',
      change: 'none',
      settings: [{ key: 'maxTools', value: 12, default: 24, source: 'file' }],
    })
    expect(json(environment, 'list').settings.length).toBeGreaterThan(30)
    expect(json(environment, 'set', 'mode', 'off')).toMatchObject({ action: 'set', change: 'written' })
    expect(json(environment, 'unset', 'mode')).toMatchObject({ action: 'unset', change: 'removed' })
  })

  it('need no file', () => {
    const environment = testEnvironment()
    expect(run(environment, 'get', 'maxTools')).toBe('24\n')
    expect(json(environment, 'list').settings.every(({ source }) => source === 'default')).toBe(true)
  })
})

describe('sluice config set', () => {
  it('changes one value, and nothing around it', () => {
    const { environment, text } = given()
    run(environment, 'set', 'maxTools', '40')
    expect(text()).toBe(TEXT.replace('"maxTools": 12', '"maxTools": 40'))
    run(environment, 'set', 'clients.claude.ai*.maxTools', '7')
    expect(text()).toBe(TEXT.replace('"maxTools": 12', '"maxTools": 40').replace('"maxTools": 6', '"maxTools": 7'))
  })

  it('makes what leads to it', () => {
    const { environment, text } = given('{\n\t// none\n}\n')
    run(environment, 'set', 'context.catalog.enabled', 'false')
    expect(text()).toBe(
      '{\n\t// none\n\t"sluice": {\n\t\t"context": {\n\t\t\t"catalog": {\n\t\t\t\t"enabled": false\n\t\t\t}\n\t\t}\n\t}\n}\n',
    )
  })

  it('makes the file, for its owner alone', () => {
    const environment = testEnvironment()
    run(environment, 'set', 'listWait', '5 s')
    const file = path.join(environment.configDir, 'sluice.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ sluice: { listWait: '5 s' } })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['pins', 'a, b', ['a', 'b']],
    ['pins', '["a,b"]', ['a,b']],
    ['stats', 'false', false],
    ['sessionIdle', '60000', 60_000],
    ['sessionIdle', '1 h', '1 h'],
    ['naming', 'bare', 'bare'],
  ])('writes %s %s as %j', (key, value, written) => {
    const { environment } = given('{ "mcpServers": { "a": { "command": "a" } } }')
    run(environment, 'set', key, value)
    expect(json(environment, 'get', key).settings[0]).toMatchObject({ value: written, source: 'file' })
    expect(loadConfig({ environment }).servers).toHaveLength(1)
  })

  it('removes a value that equals the default, with what is empty then', () => {
    const { environment, text } = given()
    expect(run(environment, 'set', 'context.responses.thresholdBytes', '16 KiB')).toContain(
      'the default, so it is not written; removed from',
    )
    expect(text()).toBe(TEXT.replace('    "context": { "responses": { "thresholdBytes": "8 KiB" } },\n', ''))
    expect(run(environment, 'set', 'mode', 'auto')).toContain('(the default, so it is not written)')
    run(environment, 'set', 'clients.claude.ai*.maxTools', '12')
    expect(text()).not.toContain('clients')
  })

  it('writes for a client what is the default for all, where all have another', () => {
    const { environment, text } = given()
    run(environment, 'set', 'clients.zed.maxTools', '24')
    expect(text()).toContain('"zed": { "maxTools": 24 }')
  })

  it('refuses, and leaves the file as it is', () => {
    const { environment, text } = given()
    expect(failure(environment, 'set', 'maxTool', '3')).toBe('"maxTool" is not an option; did you mean "maxTools"?')
    expect(failure(environment, 'set', 'thresholdByte', '3')).toBe(
      '"thresholdByte" is not an option; did you mean "context.responses.thresholdBytes" or "context.catalog.thresholdBytes"?',
    )
    expect(failure(environment, 'get', 'serchTool')).toContain('did you mean "context.searchTool"?')
    expect(failure(environment, 'set', 'clients.zed.maxTool', '3')).toContain('did you mean "maxTools"?')
    expect(failure(environment, 'set', 'clients.zed.naming', 'bare')).toContain('"naming" is not an option')
    expect(failure(environment, 'set', 'xyzzy', '1')).toBe('"xyzzy" is not an option')
    expect(failure(environment, 'set', 'maxTools', 'many')).toBe('maxTools must be a whole number from 0, found "many"')
    expect(failure(environment, 'set', 'context.searchTool', 'IndexRead')).toContain('is called already')
    expect(failure(environment, 'set', 'context.responses', '1')).toContain('is a group; name one of context.responses.enabled')
    expect(failure(environment, 'set', 'clients', '{}')).toContain('clients.cursor*.maxTools')
    expect(failure(environment, 'set', 'pins', '[1]')).toContain('pins must be')
    expect(failure(environment, 'set', 'maxTools')).toBe('write "sluice config set <key> <value>"')
    expect(failure(environment, 'sett', 'maxTools', '1')).toContain('did you mean "set"?')
    expect(failure(environment, 'constructor')).toContain('there are list, get, set, unset')
    expect(text()).toBe(TEXT)
  })

  it('refuses a broken file with its place', () => {
    const { environment, text } = given('{\n  "sluice": {')
    expect(thrownBy<SluiceError>(() => run(environment, 'set', 'maxTools', '3'))).toMatchObject({
      code: 'CONFIG_SYNTAX',
      detail: expect.stringContaining(':2:14:'),
    })
    expect(text()).toBe('{\n  "sluice": {')
  })

  it('refuses a file that has the settings twice', () => {
    const { environment } = given('{ "sluice": { "maxTools": 3 }, "sluice": {} }')
    expect(thrownBy(() => run(environment, 'set', 'maxTools', '5'))).toMatchObject({ code: 'CONFIG_INVALID' })
  })

  it('changes a file that has them under slim', () => {
    const { environment, text } = given('{ "slim": { "maxTools": 3 } }')
    run(environment, 'set', 'maxTools', '5')
    expect(text()).toBe('{ "slim": { "maxTools": 5 } }')
  })

  it('keeps a project file trusted that was', () => {
    const environment = testEnvironment()
    const file = writeTo(environment.cwd, 'sluice.json', '{ "mcpServers": { "a": { "command": "a" } } }')
    run(environment, 'set', 'maxTools', '5')
    expect(thrownBy(() => loadConfig({ environment }))).toMatchObject({ code: 'CONFIG_UNTRUSTED' })
    rememberTrust({ path: file, bytes: readFileSync(file) }, environment.dataDir)
    run(environment, 'set', 'maxTools', '6')
    expect(loadConfig({ environment }).settings.catalog.maxTools).toBe(6)
  })
})

describe('sluice config unset', () => {
  it('takes a setting out, and says when there is none', () => {
    const { environment, text } = given()
    expect(run(environment, 'unset', 'maxTools')).toContain('(removed from ')
    expect(text()).toBe(TEXT.replace('    "maxTools": 12, // a dozen', '     // a dozen'))
    expect(run(environment, 'unset', 'maxTools')).toContain('(was not set)')
  })
})
