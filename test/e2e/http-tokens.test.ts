/** Tokens for the gateway's own HTTP side, from the command that makes one to the client that comes in with it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { appears, CLI, callText, createHome, fixture, type Home, isolatedEnv, parseReceipt } from '../support/gateway.js'
import { runSluice } from '../support/login.js'

let home: Home
const children: ChildProcess[] = []

beforeEach(() => {
  const clients = { 'lap*': { context: { responses: { thresholdBytes: 100 } } } }
  home = createHome({ content: fixture('content-server.js') }, { clients })
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  home.remove()
})

async function serve(...more: string[]) {
  const args = [CLI, 'serve', '--port', '0', '--config', home.config, '--log-level', 'debug', ...more]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: isolatedEnv(home.folder) })
  children.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  const url = new URL(await appears(child, () => /Endpoint +(http:\S+)/.exec(said)?.[1]))
  return { url, said: () => said }
}

async function connect(url: URL, token: string | undefined): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

it('makes tokens whose names decide which settings a client has', async () => {
  const laptop = await runSluice(home, 'token', 'add', 'laptop')
  const [token = ''] = laptop.stdout.split('\n')
  const [other = ''] = (await runSluice(home, 'token', 'add', 'other')).stdout.split('\n')
  expect((await runSluice(home, 'token', 'list')).stdout).toMatch(/^laptop {2}\d{4}-.*\nother {3}\d{4}-.*\n$/)
  const { url, said } = await serve()
  await expect(connect(url, undefined)).rejects.toThrow()
  const [first, second] = await Promise.all([connect(url, token), connect(url, other)])
  expect(parseReceipt(await callText(first, 'content__lines', { count: 500 }))).toBeDefined()
  expect(parseReceipt(await callText(second, 'content__lines', { count: 500 }))).toBeUndefined()
  expect(said()).toContain('--header "Authorization: Bearer <token>"')
  for (const secret of [token, other]) expect(said()).not.toContain(secret)
  await Promise.all([first.close(), second.close()])
})

it('listens beyond loopback only where there is a token', async () => {
  const args = ['serve', '--host', '0.0.0.0', '--port', '0', '--config', home.config]
  const { code, stderr } = await runSluice(home, ...args)
  expect([code, stderr]).toEqual([2, expect.stringContaining('needs tokens; run "sluice token add <name>"')])
})

it.each([
  [['add'], /needs a name/],
  [['add', 'two words'], /needs a name/],
  [['ad', 'laptop'], /did you mean "add"/],
  [['revoke', 'nobody'], /there is no token "nobody"/],
  [['list', 'laptop'], /takes no name/],
  [[], /"sluice token" needs <add\|list\|revoke>/],
])('refuses sluice token %j', async (args, expected) => {
  const { code, stderr } = await runSluice(home, 'token', ...args)
  expect([code, stderr]).toEqual([2, expect.stringMatching(expected)])
})

it('refuses a second token of one name', async () => {
  expect((await runSluice(home, 'token', 'list')).stdout).toBe('There are no tokens.\n')
  await runSluice(home, 'token', 'add', 'laptop')
  expect(await runSluice(home, 'token', 'add', 'laptop')).toMatchObject({ code: 2, stdout: '' })
  expect(await runSluice(home, 'token', 'revoke', 'laptop')).toMatchObject({ code: 0 })
  expect(await runSluice(home, 'token', 'add', 'laptop')).toMatchObject({ code: 0 })
})
