/** `sluice init` and what it leaves behind, as a user would meet them: real processes in a home of their own. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, it, onTestFinished } from 'vitest'
import { environmentOf } from '../../src/config/environment.js'
import { CLIENT_HOMES, clientFile, furnish, PLANTED } from '../support/client-homes.js'
import { writeTo } from '../support/environment.js'
import { CLI, fixture, isolatedEnv } from '../support/gateway.js'

function temporaryHome() {
  const home = mkdtempSync(join(tmpdir(), 'sluice-init-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const cwd = join(home, 'project')
  mkdirSync(cwd)
  const variables = isolatedEnv(home)
  return {
    cwd,
    variables,
    environment: environmentOf({ variables, cwd, home, platform: process.platform }),
    run: (...args: string[]) => spawnSync(process.execPath, [CLI, ...args], { cwd, env: variables, encoding: 'utf8' }),
  }
}

async function toolsOf(
  launch: { command: string; args: string[] },
  env: Record<string, string>,
  cwd: string,
): Promise<string[]> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ ...launch, env, cwd, stderr: 'ignore' }))
  try {
    return (await client.listTools()).tools.map(({ name }) => name)
  } finally {
    await client.close()
  }
}

it('leaves a client with an entry that starts Sluice in front of its servers', async () => {
  const { environment, variables, cwd, run } = temporaryHome()
  const file = clientFile('cursor', environment)
  writeTo(environment.home, '.cursor/mcp.json', { mcpServers: { content: fixture('content-server.js') } })
  expect(run('init', '--client', 'cursor', '--yes')).toMatchObject({ status: 0, stderr: '' })
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as {
    mcpServers: Record<string, { command: string; args: string[] }>
  }
  expect(Object.keys(mcpServers)).toEqual(['sluice'])
  const tools = await toolsOf(mcpServers['sluice']!, variables, cwd)
  expect(tools.some((name) => name.startsWith('content__'))).toBe(true)
})

it('serves what discovery finds, where there is no configuration', async () => {
  const { environment, variables, cwd } = temporaryHome()
  writeTo(environment.home, '.cursor/mcp.json', { mcpServers: { content: fixture('content-server.js') } })
  const tools = await toolsOf({ command: process.execPath, args: [CLI] }, variables, cwd)
  expect(tools.some((name) => name.startsWith('content__'))).toBe(true)
})

it('shows no secret, whatever is asked', () => {
  const { environment, cwd, run } = temporaryHome()
  const files = furnish(environment)
  const before = files.map((file) => readFileSync(file, 'utf8'))
  writeTo(cwd, '.mcp.json', {
    mcpServers: { p: { command: 'p', args: ['--api-key', 's3cr3t-p'], headers: { A: 's3cr3t-h' } } },
  })
  writeTo(cwd, '.vscode/mcp.json', '{ "servers": { "x": "s3cr3t } }')
  const rounds = [['init'], ['trust'], ['init', '--yes', '--json'], ['config', 'list'], ['init', '--undo', '--json']].map(
    (args) => run(...args),
  )
  expect(rounds.map(({ stdout, stderr }) => stdout + stderr).join('\n')).not.toMatch(PLANTED)
  expect(rounds.map(({ status }) => status)).toEqual([0, 1, 0, 0, 0])
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before)
})

it.each([
  [['init', '--client', 'curser', '--yes'], 'did you mean "cursor"?'],
  [['init', '--clint', 'cursor'], 'did you mean "--client"?'],
  [['innit'], 'did you mean "init"?'],
  [['config', 'set', 'maxTool', '3'], 'did you mean "maxTools"?'],
])('ends %j with 2 and the nearest name, before it writes', (args, hint) => {
  const { environment, run } = temporaryHome()
  const files = furnish(environment, CLIENT_HOMES.slice(0, 3))
  const before = files.map((file) => readFileSync(file, 'utf8'))
  const { status, stdout, stderr } = run(...args)
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain(hint)
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before)
})

it('refuses a broken file with 2, and leaves it as it is', () => {
  const { environment, run } = temporaryHome()
  const [file = ''] = furnish(environment, CLIENT_HOMES.slice(5, 6))
  writeFileSync(file, 'a = 1\n[mcp_servers.x\n')
  const { status, stderr } = run('init', '--client', 'codex', '--yes')
  expect(status).toBe(2)
  expect(stderr).toMatch(/config\.toml:2:\d+: /)
  expect(readFileSync(file, 'utf8')).toBe('a = 1\n[mcp_servers.x\n')
})
