// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of clients' files
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SluiceError } from '../../../src/base/errors.js'
import { packageRoot } from '../../../src/base/version.js'
import { takeEntry } from '../../../src/config/clients/client-entry.js'
import { discover } from '../../../src/config/clients/discover.js'
import { mergeServers } from '../../../src/config/clients/merge-servers.js'
import { isSluice } from '../../../src/config/clients/own-entry.js'
import type { Environment } from '../../../src/config/environment.js'
import { loadConfig } from '../../../src/config/load-config.js'
import { rememberTrust } from '../../../src/config/trust.js'
import { clientFile, furnish, PLANTED } from '../../support/client-homes.js'
import { testEnvironment, thrownBy, writeTo } from '../../support/environment.js'

function names(environment: Environment): string[] {
  return loadConfig({ environment }).servers.map(({ name }) => name)
}

function trustProject(environment: Environment, name: string, content: object): void {
  const file = writeTo(environment.cwd, name, content)
  rememberTrust({ path: file, bytes: readFileSync(file) }, environment.dataDir)
}

describe('discovery', () => {
  it('finds the servers of all clients, and writes nothing', () => {
    const environment = testEnvironment({ FIGMA_TOKEN: 'x' })
    const files = furnish(environment)
    const before = files.map((file) => readFileSync(file, 'utf8'))
    const config = loadConfig({ environment })
    expect(config.servers.map(({ name }) => name)).toEqual(
      'github files sentry github-claude-code linear remote memory docs figma weather own older'.split(' '),
    )
    expect(config.disabled).toEqual([])
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before)
    for (const file of files) expect(readdirSync(path.dirname(file)).filter((name) => /sluice|bak/.test(name))).toEqual([])
    const said = [...config.notes, config.origin].join('\n')
    expect(said).toContain('server "asks" is left out: env.KEY: asks an editor for an input')
    expect(said).toContain('server "mcp-server-github" is left out: an extension of the client brings it')
    expect(said).not.toMatch(PLANTED)
    expect(config.redact('s3cr3t-figma s3cr3t-toml s3cr3t-wind')).toBe('*** *** ***')
  })

  it('comes after the file of the user', () => {
    const environment = testEnvironment()
    furnish(environment)
    writeTo(environment.configDir, 'sluice.json', { mcpServers: { mine: { command: 'mine' } } })
    expect(names(environment)).toEqual(['mine'])
  })

  it('gives the servers where the file of the user has settings alone', () => {
    const environment = testEnvironment()
    const file = writeTo(environment.configDir, 'sluice.json', { sluice: { maxTools: 7 } })
    expect(thrownBy(() => loadConfig({ environment }))).toMatchObject({ code: 'NO_SERVER_LEFT' })
    writeTo(environment.home, '.cursor/mcp.json', { mcpServers: { a: { command: 'a' } } })
    const config = loadConfig({ environment })
    expect([config.origin, config.settings.catalog.maxTools, config.servers.map(({ name }) => name)]).toEqual([file, 7, ['a']])
    writeTo(environment.configDir, 'sluice.json', { mcpServers: {} })
    expect(thrownBy(() => loadConfig({ environment }))).toMatchObject({ code: 'NO_SERVER_LEFT' })
  })

  it('reads the current folder in the file of Claude Code', () => {
    const environment = testEnvironment()
    const projects = {
      [environment.cwd]: { mcpServers: { here: { command: 'here' } } },
      '/other': { mcpServers: { no: { command: 'no' } } },
    }
    writeTo(environment.home, '.claude.json', { projects })
    expect(names(environment)).toEqual(['here'])
  })

  it('reads where VS Code had its servers before', () => {
    const environment = testEnvironment()
    writeTo(path.dirname(clientFile('vscode', environment)), 'settings.json', { mcp: { servers: { old: { command: 'old' } } } })
    expect(names(environment)).toEqual(['old'])
  })

  it.each(['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json'])('uses %s only when it is trusted', (name) => {
    const environment = testEnvironment()
    const content = { mcpServers: { evil: { command: 'evil' } }, servers: { evil: { command: 'evil' } } }
    writeTo(environment.cwd, name, content)
    const untrusted = thrownBy<SluiceError>(() => loadConfig({ environment }))
    expect(untrusted).toMatchObject({ code: 'CONFIG_NONE' })
    expect(untrusted.detail).toContain(`${path.join(environment.cwd, name)} would start commands and is new here`)
    trustProject(environment, name, content)
    expect(names(environment)).toEqual(['evil'])
    writeTo(environment.cwd, name, { ...content, changed: true })
    expect(thrownBy<SluiceError>(() => loadConfig({ environment })).detail).toContain('has changed since it was trusted')
  })

  it('takes a file of the home folder for the user’s, also when that is the current folder', () => {
    const environment = testEnvironment()
    writeTo(environment.home, '.cursor/mcp.json', { mcpServers: { a: { command: 'a' } } })
    expect(names({ ...environment, cwd: environment.home })).toEqual(['a'])
  })

  it('tells of a broken file, with its place and without its text, and goes on', () => {
    const environment = testEnvironment()
    writeTo(environment.home, '.cursor/mcp.json', '{\n  "mcpServers": { "a": "s3cr3t }\n}')
    writeTo(environment.home, '.codex/config.toml', 'a = 1\nb = "s3cr3t\n')
    writeTo(environment.home, '.codeium/windsurf/mcp_config.json', { mcpServers: { w: { command: 'w' } } })
    writeTo(environment.home, '.claude.json', { mcpServers: ['x'] })
    const { servers, notes } = discover(environment)
    expect(servers.map(({ name }) => name)).toEqual(['w'])
    expect(notes).toHaveLength(3)
    expect(notes[0]).toMatch(/passed over: .*\.claude\.json:1:2: mcpServers must be an object, found a list/)
    expect(notes[1]).toMatch(/passed over: .*\.cursor\/mcp\.json:2:\d+: /)
    expect(notes[2]).toMatch(/passed over: .*config\.toml:2:\d+: /)
    expect(notes.join()).not.toMatch(PLANTED)
  })

  it('says CONFIG_NONE with what is wrong where nothing is left', () => {
    const environment = testEnvironment()
    writeTo(environment.home, '.cursor/mcp.json', '{')
    const error = thrownBy<SluiceError>(() => loadConfig({ environment }))
    expect(error).toMatchObject({ code: 'CONFIG_NONE' })
    expect(error.detail).toMatch(/\n {2}passed over: .*mcp\.json:1:2/)
  })

  it('takes an empty file for one without servers', () => {
    const environment = testEnvironment()
    writeTo(environment.home, '.cursor/mcp.json', '')
    expect(discover(environment)).toMatchObject({ servers: [], notes: [], files: [{ fault: undefined }] })
  })

  it('skips itself', () => {
    const environment = testEnvironment()
    const mcpServers = { sluice: { command: 'sluice' }, a: { command: 'a' } }
    writeTo(environment.home, '.cursor/mcp.json', { mcpServers })
    expect(names(environment)).toEqual(['a'])
  })
})

describe('isSluice', () => {
  const cli = path.join(packageRoot(), 'dist/src/cli.js')

  it.each([
    { command: 'sluice' },
    { command: '/usr/local/bin/sluice', args: ['--config', 'x'] },
    { command: 'C:\\npm\\sluice.cmd' },
    { command: 'npx', args: ['-y', 'mcp-sluice@1.2.3'] },
    { command: 'cmd', args: ['/c', 'npx', '-y', 'mcp-sluice'] },
    { command: 'sh', args: ['-c', 'exec sluice --config x'] },
    { command: 'node', args: ['/x/node_modules/mcp-sluice/dist/src/cli.js'] },
    { command: process.execPath, args: [cli] },
    { command: { path: 'sluice', args: [] } },
    { url: 'http://127.0.0.1:7411/mcp' },
    { type: 'http', url: 'http://localhost:7411/mcp' },
  ])('knows %j', (entry) => expect(isSluice(entry)).toBe(true))

  it.each([
    { command: 'filesystem', args: ['/home/sluice'] },
    { command: 'npx', args: ['-y', 'other', '--name', 'my-sluice'] },
    { command: 'node', args: ['/x/other/dist/src/cli.js'] },
    { url: 'https://example.com/sluice' },
    { url: 'http://127.0.0.1:7412/mcp' },
    'sluice',
    null,
    {},
  ])('takes %j for another', (entry) => expect(isSluice(entry)).toBe(false))
})

describe('takeEntry', () => {
  it('reads what Codex means', () => {
    expect(
      takeEntry('x', {
        url: 'https://x/mcp',
        bearer_token_env_var: 'TOKEN',
        http_headers: { A: 'b' },
        env_http_headers: { C: 'D' },
        startup_timeout_sec: 2.5,
        enabled_tools: ['one'],
        enabled: true,
      }).entry,
    ).toEqual({
      url: 'https://x/mcp',
      headers: { A: 'b', C: '${D}', Authorization: 'Bearer ${TOKEN}' },
      connectTimeout: 2500,
      include: ['one'],
      enabled: true,
    })
    expect(takeEntry('x', { command: 'x', env: { A: 'b' }, env_vars: ['PASSED'] }).entry).toEqual({
      command: 'x',
      env: { PASSED: '${PASSED}', A: 'b' },
    })
  })

  it('leaves what Sluice could not run, and says why', () => {
    const reason = (entry: unknown) => takeEntry('x', entry).reason
    expect(reason({ command: 'x', args: ['${input:key}'] })).toContain('asks an editor')
    expect(reason({ command: 'x', args: ['${workspaceFolder}/a'] })).toContain('workspaceFolder')
    expect(reason({ command: 'x', envFile: '.env' })).toContain('envFile')
    expect(reason({ command: 'x', url: 'https://x' })).toContain('both')
    expect(reason({ settings: {} })).toContain('extension')
    expect(reason('x')).toContain('no object')
    expect(reason({ command: 'x', env: { A: '${NOT_SET_NOW}' } })).toBeUndefined()
  })
})

describe('mergeServers', () => {
  const found = (name: string, entry: object, client = 'cursor') => ({ name, entry: entry as Record<string, unknown>, client })

  it('counts what is started alike once, whatever its name, keys and order', () => {
    const merged = mergeServers(new Map([['own', { command: 'z' }]]), [
      found('a', { command: 'x', env: { A: '1', B: '2' } }),
      found('b', { type: 'stdio', command: 'x', args: [], env: { B: '2', A: 1 } }),
      found('c', { command: 'z', args: [] }),
      found('d', { serverUrl: 'https://x' }),
      found('e', { url: 'https://x' }),
    ])
    expect(merged.map(({ name }) => name)).toEqual(['a', 'd'])
  })

  it('takes of two the one that is switched on', () => {
    const merged = mergeServers(new Map(), [found('a', { command: 'x', disabled: true }), found('b', { command: 'x' })])
    expect(merged.map(({ name }) => name)).toEqual(['b'])
  })

  it('gives a taken name its client, then a number', () => {
    const merged = mergeServers(
      new Map([['a', { command: '0' }]]),
      [1, 2, 3].map((n) => found('a', { command: String(n) })),
    )
    expect(merged.map(({ name }) => name)).toEqual(['a-cursor', 'a-cursor-2', 'a-cursor-3'])
  })
})
