/** Every command of the README, as a reader would type it, in a copy of the project with what `npm ci` installs beside it. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageRoot } from '../../src/base/version.js'
import { CLIENTS } from '../../src/config/clients/clients.js'
import { appears, CLI, fixture, isolatedEnv } from '../support/gateway.js'

let copy = ''
/** Beside the copy: what the gateway remembers is not to be formatted. */
let home = ''
const env = () => ({ ...isolatedEnv(home), NO_COLOR: '1', npm_config_update_notifier: 'false' })
const npm = (...args: string[]) => spawnSync('npm', args, { cwd: copy, env: env(), encoding: 'utf8', timeout: 120_000 })

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'sluice-copy-'))
  home = mkdtempSync(join(tmpdir(), 'sluice-home-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: packageRoot(),
    encoding: 'utf8',
  })
  for (const file of files.trim().split('\n')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(packageRoot(), file), join(copy, file))
  }
  execFileSync('git', ['init', '-q'], { cwd: copy })
  symlinkSync(join(packageRoot(), 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => {
  for (const folder of [copy, home]) rmSync(folder, { recursive: true, force: true })
})

describe('a command of the README', () => {
  it('npm start -- --once shows a whole session', () => {
    const { status, stdout, stderr } = npm('start', '--', '--once')
    expect(stderr).toBe('')
    expect(status).toBe(0)
    expect(stdout).toMatch(/One server, \d+ tools of 3 servers/)
    expect(stdout).toContain('→ Echo: hello')
    expect(stdout).toMatch(/\[Response compressed — \d+ bytes, \d+ lines, indexed as "filesystem__read_text_file:1"\]/)
    expect(stdout).toMatch(/\[1\.1\] filesystem__read_text_file:1/)
    expect(stdout).toMatch(/IndexRead\(.*\)\n\n {3}│ +\d+ .*better-sqlite3/)
    expect(stdout).toMatch(/kept out +[\d,]+ bytes +[\d,]+ tokens/)
  })

  it('npm start goes on to serve until Ctrl-C', async () => {
    const child = spawn('npm', ['start', '--', '--port', '0'], { cwd: copy, env: env(), detached: true })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    const url = new URL(await appears(child, () => /Endpoint +(http:\S+)/.exec(out)?.[1]))
    expect(out).toContain(`claude mcp add --transport http sluice ${url}`)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(url))
    expect((await client.listTools()).tools.length).toBeGreaterThan(10)
    process.kill(-(child.pid ?? 0), 'SIGINT')
    await once(child, 'exit')
    await expect(fetch(new URL('/healthz', url))).rejects.toThrow()
  })

  it('sluice serve --config mcp.json', async () => {
    const folder = join(copy, 'dist') // not looked at by the formatter
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { content: fixture('content-server.js') } }))
    const child = spawn(process.execPath, [CLI, 'serve', '--config', 'mcp.json', '--port', '0'], { cwd: folder, env: env() })
    let err = ''
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString()
    })
    const url = await appears(child, () => /Health +(http:\S+)/.exec(err)?.[1])
    expect(await (await fetch(url)).json()).toMatchObject({ status: 'ok' })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('sluice token add laptop', () => {
    const sluice = (...args: string[]) => spawnSync(process.execPath, [CLI, ...args], { env: env(), encoding: 'utf8' })
    expect(sluice('token', 'add', 'laptop').stdout).toMatch(/^sluice_\S{43}\n/)
    expect(sluice('token', 'list').stdout).toMatch(/^laptop /)
    expect(sluice('token', 'revoke', 'laptop').status).toBe(0)
  })

  it('sluice login github and sluice logout github, each with a server that has no logins', () => {
    const config = join(home, 'login.json')
    writeFileSync(config, JSON.stringify({ mcpServers: { github: fixture('content-server.js') } }))
    for (const command of ['login', 'logout']) {
      const { status, stderr } = spawnSync(process.execPath, [CLI, command, 'github', '--config', config], {
        env: env(),
        encoding: 'utf8',
      })
      expect([status, stderr]).toEqual([2, expect.stringContaining('"github" is started by a command')])
    }
  })

  it('sluice doctor, sluice tools and sluice call', () => {
    writeFileSync(join(home, 'own.json'), JSON.stringify({ mcpServers: { github: fixture('content-server.js') } }))
    const run = (...args: string[]) => {
      const { stdout, status } = spawnSync(process.execPath, [CLI, ...args, '--config', 'own.json'], {
        cwd: home,
        env: env(),
        encoding: 'utf8',
      })
      return [stdout, status]
    }
    expect(run('doctor')).toEqual([expect.stringContaining('All is well.'), 0])
    expect(run('doctor', '--tool', 'github__echo')).toEqual([expect.stringContaining('github__echo: listed'), 0])
    expect(run('doctor', '--tune')).toEqual([expect.stringContaining('50 are needed'), 0])
    expect(run('tools')).toEqual([expect.stringContaining('Listed: 6 of 6 tools'), 0])
    expect(run('tools', 'numbered lines')).toEqual([expect.stringContaining('github__lines'), 0])
    expect(run('call', 'github__echo', '{"message":"hello"}')).toEqual(['hello\n', 0])
    expect(run('call', 'github__echo', '[]')).toEqual(['', 2])
  }, 120_000)

  it('sluice --help', () => {
    const { status, stdout } = spawnSync(process.execPath, [CLI, '--help'], { encoding: 'utf8' })
    expect(status).toBe(0)
    for (const word of [
      'serve',
      'demo',
      'doctor',
      'tools',
      'call',
      'trust',
      '--naming',
      '--responses-threshold-bytes',
      '--config',
    ])
      expect(stdout).toContain(word)
  })

  it('sluice init wires every client that the README names, and --undo leaves nothing', () => {
    const commands = [...readFileSync(join(copy, 'README.md'), 'utf8').matchAll(/^sluice (init.*?) *#/gm)].map(
      ([, words = '']) => words.split(' '),
    )
    expect(commands).toHaveLength(10)
    const fresh = mkdtempSync(join(home, 'fresh-'))
    const sluice = (args: string[]) =>
      spawnSync(process.execPath, [CLI, ...args], { cwd: fresh, env: isolatedEnv(fresh), encoding: 'utf8' })
    for (const args of commands) expect(sluice(args)).toMatchObject({ status: 0, stderr: '' })
    const { clients } = JSON.parse(sluice(['init', '--json']).stdout) as { clients: { client: string; state: string }[] }
    expect(clients.map(({ client, state }) => `${client} ${state}`)).toEqual(CLIENTS.map(({ name }) => `${name} absent`))
    expect(commands.map(([, , client]) => client)).toEqual(expect.arrayContaining(CLIENTS.map(({ name }) => name)))
  }, 120_000)

  it('sluice config set, get, list and unset', () => {
    const fresh = mkdtempSync(join(home, 'fresh-'))
    const sluice = (...args: string[]) =>
      spawnSync(process.execPath, [CLI, 'config', ...args], { cwd: fresh, env: isolatedEnv(fresh), encoding: 'utf8' })
    expect(sluice('set', 'maxTools', '40').status).toBe(0)
    expect(sluice('set', 'clients.claude-code*.maxTools', '41').status).toBe(0)
    expect(sluice('get', 'maxTools').stdout).toBe('40\n')
    expect(sluice('list').stdout).toContain('clients.claude-code*.maxTools = 41')
    expect(sluice('unset', 'maxTools').status).toBe(0)
    expect(sluice('get', 'maxTools').stdout).toBe('24\n')
  })

  it.each(['stats', 'audit'])('sluice %s', (command) => {
    const { status, stdout } = spawnSync(process.execPath, [CLI, command], { encoding: 'utf8', env: env() })
    expect(status).toBe(0)
    expect(stdout).not.toBe('')
  })

  it('npm run docs finds the option tables as they are', () => {
    const before = readFileSync(join(copy, 'README.md'), 'utf8')
    expect(npm('run', 'docs').status).toBe(0)
    expect(readFileSync(join(copy, 'README.md'), 'utf8')).toBe(before)
  })

  it('npm run bench -- NAME', () => {
    const { status, stdout } = npm('run', 'bench', '--', 'small-calls', '--smoke')
    expect(status).toBe(0)
    expect(stdout).toMatch(/through Sluice +[\d.]+/)
  })

  it('npm run fix changes nothing', () => {
    const { status, stderr } = npm('run', 'fix')
    expect(status).toBe(0)
    expect(stderr).toContain('No fixes applied')
  })
})
