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

  it('sluice --help', () => {
    const { status, stdout } = spawnSync(process.execPath, [CLI, '--help'], { encoding: 'utf8' })
    expect(status).toBe(0)
    for (const word of ['serve', 'demo', 'trust', '--naming', '--responses-threshold-bytes', '--config'])
      expect(stdout).toContain(word)
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
