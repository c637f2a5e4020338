import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SluiceError } from '../../../src/base/errors.js'
import type { ClientName } from '../../../src/config/clients/client.js'
import { clientNamed } from '../../../src/config/clients/clients.js'
import { isSluice } from '../../../src/config/clients/own-entry.js'
import { readClientFile } from '../../../src/config/clients/read-client-file.js'
import { unwire } from '../../../src/config/clients/unwire-client.js'
import { carryOut, planWiring } from '../../../src/config/clients/wire-client.js'
import type { Environment } from '../../../src/config/environment.js'
import { loadConfig } from '../../../src/config/load-config.js'
import { CLIENT_HOMES, clientFile, furnish } from '../../support/client-homes.js'
import { testEnvironment, thrownBy, writeTo } from '../../support/environment.js'

const LAUNCH = { command: 'sluice', args: ['--config', '/own/sluice.json'] }
let clock = Date.UTC(2026, 0, 1)

function wire(client: ClientName, environment: Environment, { keep = false, launch = LAUNCH } = {}) {
  const plan = planWiring(clientNamed(client), { environment, launch, keep })
  clock += 1000
  return { ...plan, backup: carryOut(plan, environment, { keep, now: new Date(clock) }) }
}

function undo(client: ClientName, environment: Environment) {
  return unwire(clientNamed(client), environment)
}

function entries(client: ClientName, environment: Environment): Map<string, unknown> {
  const [file] = clientNamed(client).files(environment)
  return new Map(readClientFile(file)?.entries)
}

/** Without the tables' null prototypes. */
function plain(servers: ReadonlyMap<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(Object.fromEntries(servers)))
}

describe.each(CLIENT_HOMES)('the wiring of $client', (home) => {
  const { client, content, servers, kept } = home

  it('leaves one entry, hands the servers over, and is undone byte for byte', () => {
    const environment = testEnvironment({ FIGMA_TOKEN: 'figma' })
    const [file = ''] = furnish(environment, [home])
    chmodSync(file, 0o640)
    const { moved, left, backup = '' } = wire(client, environment)
    expect(moved).toEqual(servers)
    expect([...entries(client, environment)].filter(([, entry]) => isSluice(entry))).toHaveLength(1)
    expect(entries(client, environment).size).toBe(1 + left.length)
    for (const text of kept) expect(readFileSync(file, 'utf8')).toContain(text)
    expect(readFileSync(backup, 'utf8')).toBe(content)
    const config = loadConfig({ environment })
    expect(config.servers.map(({ name }) => name)).toEqual(servers)
    expect([config.disabled, config.notes]).toEqual([[], []])
    expect(statSync(config.origin).mode & 0o777).toBe(0o600)

    const once = readFileSync(file)
    expect(wire(client, environment)).toMatchObject({ change: 'none', moved: [], added: [], backup: undefined })
    expect(readFileSync(file)).toEqual(once)

    expect(undo(client, environment).change).toBe('restored')
    expect(readFileSync(file, 'utf8')).toBe(content)
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)])
    expect(undo(client, environment).change).toBe('none')
  })

  it('is taken out of a file that was edited since, and the servers are put back', () => {
    const environment = testEnvironment()
    const [file = ''] = furnish(environment, [home])
    const before = entries(client, environment)
    wire(client, environment)
    writeFileSync(file, `${readFileSync(file, 'utf8')}${client === 'codex' ? '# edited\n' : '// edited\n'}`)
    expect(undo(client, environment)).toMatchObject({ change: 'edited', back: servers })
    expect(plain(entries(client, environment))).toEqual(plain(before))
    for (const text of [...kept, 'edited']) expect(readFileSync(file, 'utf8')).toContain(text)
  })

  it('keeps the servers where they are when asked to', () => {
    const environment = testEnvironment({ FIGMA_TOKEN: 'figma' })
    const [file = ''] = furnish(environment, [home])
    const before = entries(client, environment)
    wire(client, environment, { keep: true })
    expect([...entries(client, environment).keys()].sort()).toEqual([...before.keys(), 'sluice'].sort())
    expect(loadConfig({ environment }).servers).toHaveLength(servers.length)
    wire(client, environment)
    expect(entries(client, environment).has(servers[0] ?? '')).toBe(false)
    undo(client, environment)
    expect(readFileSync(file, 'utf8')).toBe(content)
  })

  it('makes a file where there is none, and takes it away again', () => {
    const environment = testEnvironment()
    expect(wire(client, environment)).toMatchObject({ change: 'created', backup: undefined })
    expect(entries(client, environment).size).toBe(1)
    expect(wire(client, environment).change).toBe('none')
    expect(undo(client, environment).change).toBe('removed')
    expect(existsSync(clientFile(client, environment))).toBe(false)
  })

  it('refuses a broken file with its place, and leaves it as it is', () => {
    const environment = testEnvironment()
    const broken = client === 'codex' ? 'a = 1\nb = "s3cr3t\n' : '{\n  "a": "s3cr3t\n}'
    const file = clientFile(client, environment)
    writeTo(path.dirname(file), path.basename(file), broken)
    const error = thrownBy<SluiceError>(() => wire(client, environment))
    expect(error).toMatchObject({ code: 'CONFIG_SYNTAX' })
    expect(error.detail).toMatch(/:2:\d+: /)
    expect(error.detail).not.toContain('s3cr3t')
    expect(readFileSync(file, 'utf8')).toBe(broken)
    expect(readdirSync(path.dirname(file))).toHaveLength(1)
    expect(existsSync(environment.configDir)).toBe(false)
  })
})

describe('wiring', () => {
  it('puts back what several turns have moved', () => {
    const environment = testEnvironment()
    const file = clientFile('cursor', environment)
    writeTo(path.dirname(file), 'mcp.json', '{ "mcpServers": { "a": { "command": "a" } } }')
    wire('cursor', environment)
    const { sluice } = Object.fromEntries(entries('cursor', environment))
    writeFileSync(file, JSON.stringify({ mcpServers: { sluice, b: { command: 'b', env: { N: '1.0' } } } }))
    expect(wire('cursor', environment)).toMatchObject({ moved: ['b'], change: 'written' })
    expect(loadConfig({ environment }).servers.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(undo('cursor', environment)).toMatchObject({ change: 'edited', back: ['a', 'b'] })
    expect(Object.fromEntries(entries('cursor', environment))).toEqual({
      a: { command: 'a' },
      b: { command: 'b', env: { N: '1.0' } },
    })
  })

  it('renews an entry that starts another Sluice, and still goes back to the first file', () => {
    const environment = testEnvironment()
    const [file = ''] = furnish(
      environment,
      CLIENT_HOMES.filter(({ client }) => client === 'cursor'),
    )
    const before = readFileSync(file)
    wire('cursor', environment)
    wire('cursor', environment, { launch: { command: '/new/sluice', args: [] } })
    expect(Object.fromEntries(entries('cursor', environment))).toEqual({ sluice: { command: '/new/sluice', args: [] } })
    undo('cursor', environment)
    expect(readFileSync(file)).toEqual(before)
  })

  it('counts the same server of two clients once, and keeps different ones of one name apart', () => {
    const environment = testEnvironment({ FIGMA_TOKEN: 'x' })
    furnish(environment)
    for (const { client } of CLIENT_HOMES) wire(client, environment)
    const names = loadConfig({ environment }).servers.map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('files'))).toEqual(['files'])
    expect(names.filter((name) => name.startsWith('github'))).toEqual(['github', 'github-claude-code'])
  })

  it('adds to a file of ours that is there, comments kept', () => {
    const environment = testEnvironment()
    writeTo(
      environment.configDir,
      'sluice.jsonc',
      '{\n  // mine\n  "servers": {\n    "x": { "command": "x" } // x\n  },\n  "sluice": { "maxTools": 5 }\n}\n',
    )
    furnish(
      environment,
      CLIENT_HOMES.filter(({ client }) => client === 'windsurf'),
    )
    wire('windsurf', environment)
    const text = readFileSync(path.join(environment.configDir, 'sluice.jsonc'), 'utf8')
    expect(text).toMatch(/\/\/ mine\n {2}"servers": \{\n {4}"x": \{ "command": "x" \}, \/\/ x\n {4}"remote": \{/)
    expect(loadConfig({ environment }).servers.map(({ name, exclude }) => [name, exclude])).toEqual([
      ['x', []],
      ['remote', ['drop']],
    ])
  })

  it('follows a symbolic link, and leaves the link', () => {
    const environment = testEnvironment()
    const [file = ''] = furnish(
      environment,
      CLIENT_HOMES.filter(({ client }) => client === 'gemini'),
    )
    const real = path.join(environment.home, 'dotfiles.json')
    renameSync(file, real)
    symlinkSync(real, file)
    const before = readFileSync(real)
    wire('gemini', environment)
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toContain('"sluice"')
    undo('gemini', environment)
    expect(readFileSync(real)).toEqual(before)
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
  })

  it('makes the file that a symbolic link points to', () => {
    const environment = testEnvironment()
    const file = clientFile('gemini', environment)
    mkdirSync(path.dirname(file), { recursive: true })
    symlinkSync(path.join(environment.home, 'dotfiles.json'), file)
    expect(wire('gemini', environment).change).toBe('created')
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(path.join(environment.home, 'dotfiles.json'), 'utf8')).toContain('"sluice"')
  })

  it('refuses a file that has its list twice, or none that is an object', () => {
    const environment = testEnvironment()
    const file = clientFile('cursor', environment)
    for (const text of ['{ "mcpServers": { "a": { "command": "a" } }, "mcpServers": {} }', '{ "mcpServers": [] }', '[]']) {
      writeTo(path.dirname(file), 'mcp.json', text)
      expect(thrownBy(() => wire('cursor', environment))).toMatchObject({ code: 'CONFIG_INVALID' })
      expect(readFileSync(file, 'utf8')).toBe(text)
    }
  })

  it('keeps a byte order mark', () => {
    const environment = testEnvironment()
    const file = clientFile('cursor', environment)
    writeTo(path.dirname(file), 'mcp.json', '\uFEFF{}')
    wire('cursor', environment)
    expect(readFileSync(file, 'utf8').startsWith('\uFEFF{')).toBe(true)
  })

  it('refuses a file that another program changes meanwhile', () => {
    const environment = testEnvironment()
    const [file = ''] = furnish(
      environment,
      CLIENT_HOMES.filter(({ client }) => client === 'claude-code'),
    )
    const plan = planWiring(clientNamed('claude-code'), { environment, launch: LAUNCH, keep: false })
    writeFileSync(file, '{ "numStartups": 13 }')
    expect(thrownBy(() => carryOut(plan, environment, { keep: false, now: new Date() }))).toMatchObject({ code: 'FILE_BUSY' })
    expect(readFileSync(file, 'utf8')).toBe('{ "numStartups": 13 }')
  })

  it('names the nearest client', () => {
    expect(thrownBy<SluiceError>(() => clientNamed('curser')).detail).toContain('did you mean "cursor"?')
    expect(thrownBy<SluiceError>(() => clientNamed('constructor')).detail).toContain('there are claude-desktop')
  })
})
