/** A server that wants a login, from the first call that is told so to the tokens that are given back. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type GuardedServer, guardedServer } from '../fixtures/guarded-server.js'
import { events, result, serve } from '../fixtures/http-servers.js'
import { Issuer, reply } from '../fixtures/oauth-issuer.js'
import { CLI, createHome, fixture, type Home, isolatedEnv } from '../support/gateway.js'
import { runLogin, runSluice } from '../support/login.js'
import { RawClient, type RawMessage } from '../support/raw-client.js'
import { stdioWire } from '../support/raw-wire.js'

let issuer: Issuer
let server: GuardedServer
let home: Home
const clients: RawClient[] = []
const closing: (() => unknown)[] = []

beforeEach(async () => {
  issuer = await Issuer.start()
  server = await guardedServer(issuer)
  home = createHome({ files: { url: server.url } }, PLAIN)
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await Promise.all([issuer.close(), server.close(), ...closing.splice(0).map((close) => close())])
  home.remove()
})

const PLAIN = { context: { responses: { enabled: false } } }

async function gateway(): Promise<RawClient> {
  const args = [CLI, '--config', home.config, '--log-level', 'debug']
  const client = new RawClient(stdioWire({ command: process.execPath, args }, isolatedEnv(home.folder)))
  clients.push(client)
  await client.initialize({})
  return client
}

async function stateOf(client: RawClient): Promise<string | undefined> {
  const { result } = await client.ask('resources/read', { uri: 'sluice://servers' })
  const [{ text = '' } = {}] = (result?.['contents'] ?? []) as { text?: string }[]
  return (JSON.parse(text) as { servers: { state: string }[] }).servers[0]?.state
}

async function untilState(client: RawClient, state: string): Promise<void> {
  while ((await stateOf(client)) !== state) await new Promise((resolve) => setTimeout(resolve, 50))
}

const textOf = ({ result, error }: RawMessage) =>
  error?.message ?? (result?.['content'] as { text: string }[] | undefined)?.[0]?.text

const storeIn = ({ folder }: Home) => join(folder, 'data/sluice/logins')

/** Names of all files below a folder that hold one of the words. */
function filesWith(folder: string, words: ReadonlySet<string>): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const text = readFileSync(file, 'latin1')
      return [...words].some((word) => text.includes(word))
    })
}

it('says which command to run, and goes on by itself when it was run', async () => {
  const client = await gateway()
  await untilState(client, 'needs-login')
  const refused = await client.call('files__read')
  expect(refused.error?.message).toMatch(
    /^server "files" needs a login; run: sluice login files --config \S+ \(UPSTREAM_LOGIN: .*\)$/,
  )

  const { code, stdout, stderr } = await runLogin(home, 'files')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`Logged in to files at ${issuer.url} (files:read)`)
  await untilState(client, 'ready')
  expect(textOf(await client.call('files__read'))).toBe('done')

  const [file = ''] = readdirSync(storeIn(home))
  expect(statSync(join(storeIn(home), file)).mode & 0o777).toBe(0o600)
  expect(statSync(storeIn(home)).mode & 0o777).toBe(0o700)
})

it('keeps tokens and codes out of every output and every file but the store', async () => {
  const { stdout, stderr } = await runLogin(home, 'files')
  const client = await gateway()
  expect(textOf(await client.call('files__echo'))).toMatch(/HTTP 500: you sent Bearer \*\*\*/)
  issuer.expireAccess()
  expect(textOf(await client.call('files__read'))).toBe('done')
  await client.close()
  const said = [stdout, stderr, ...client.frames].join('\n')
  expect([...issuer.given].filter((secret) => said.includes(secret))).toEqual([])
  expect(filesWith(home.folder, issuer.given)).toEqual([expect.stringContaining(storeIn(home))])
})

it('asks for more when the server asks for more', async () => {
  await runLogin(home, 'files')
  const client = await gateway()
  expect(textOf(await client.call('files__write'))).toMatch(
    /^server "files" wants the scope "files:write" for this, .*; run: sluice login files/,
  )
  expect(textOf(await client.call('files__read'))).toBe('done')
  const { stdout } = await runLogin(home, 'files')
  expect(stdout).toContain('(files:read files:write)')
  expect(textOf(await client.call('files__write'))).toBe('done')
})

it('says it too of a tool that carries no name of a server', async () => {
  home.remove()
  const more = { ...PLAIN, naming: 'bare' }
  for (const others of [{}, { content: fixture('content-server.js') }]) {
    const own = createHome({ files: { url: server.url }, ...others }, more)
    closing.push(() => own.remove())
    home = own
    expect(textOf(await (await gateway()).call('read'))).toMatch(/server "files" needs a login; run: sluice login files/)
  }
})

it('has the doctor say so', async () => {
  const { code, stdout } = await runSluice(home, 'doctor', '--json', '--config', home.config)
  expect(code).toBe(1)
  expect((JSON.parse(stdout) as { servers: { findings: object[] }[] }).servers[0]?.findings).toEqual([
    expect.objectContaining({ kind: 'needs login', what: expect.stringMatching(/; run: sluice login files --config \S+$/) }),
  ])
})

it('wants no login for what a server gives to strangers', async () => {
  server.servesStrangers = true
  const client = await gateway()
  expect(textOf(await client.call('files__read'))).toBe('done')
  expect(textOf(await client.call('files__write'))).toMatch(/^server "files" needs a login for this; run: sluice login files/)
  expect(await stateOf(client)).toBe('ready')
  await runLogin(home, 'files')
  expect(textOf(await client.call('files__write'))).toMatch(/wants the scope "files:write"/)
})

it('knows the older transport too', async () => {
  const streams = new Set<ServerResponse>()
  const older = await serve((req, res, body) => {
    if (!issuer.grantOf(req.headers.authorization?.slice('Bearer '.length), older.url)) {
      const where = `${older.origin}/.well-known/oauth-protected-resource/sse`
      if (req.url !== new URL(where).pathname)
        res.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${where}"` }).end()
      else reply(res, 200, { resource: older.url, authorization_servers: [issuer.url] })
    } else if (req.method === 'GET') {
      events(res)
      streams.add(res.on('close', () => streams.delete(res)))
      res.write('event: endpoint\ndata: /message\n\n')
    } else {
      res.writeHead(202).end()
      const { id, method } = JSON.parse(body) as { id?: number; method: string }
      const facts = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'older', version: '1' } }
      const lists = { tools: [{ name: 'read', inputSchema: { type: 'object' } }], content: [{ type: 'text', text: 'done' }] }
      const answer = result(id, method === 'initialize' ? facts : lists)
      if (id !== undefined) for (const stream of streams) stream.write(`event: message\ndata: ${answer}\n\n`)
    }
  }, '/sse')
  closing.push(older.close)
  const own = createHome({ files: { url: older.url, type: 'sse' } }, PLAIN)
  closing.push(() => own.remove())
  home.remove()
  home = own
  const client = await gateway()
  expect(textOf(await client.call('files__read'))).toMatch(/needs a login/)
  expect(await runLogin(home, 'files')).toMatchObject({ code: 0 })
  expect(textOf(await client.call('files__read'))).toBe('done')
})

it('gives the tokens back on logout', async () => {
  await runLogin(home, 'files')
  expect(await runSluice(home, 'logout', 'files', '--config', home.config)).toMatchObject({
    code: 0,
    stdout: 'Logged out of files, and its tokens are revoked.\n',
  })
  expect(readdirSync(storeIn(home))).toEqual([])
  const client = await gateway()
  expect(textOf(await client.call('files__read'))).toMatch(/needs a login/)
  expect((await runSluice(home, 'logout', 'files', '--config', home.config)).stdout).toMatch(/There was no login/)
})

it('uses the client of the entry, and does not write its secret down', async () => {
  issuer.temper.registers = false
  const port = await freePort()
  issuer.clients.set('ours', { redirectUris: [`http://127.0.0.1:${port}/callback`], secret: 'client-secret-1' })
  home.remove()
  home = createHome({ files: { url: server.url, oauth: { clientId: 'ours', clientSecret: 'client-secret-1' } } }, PLAIN)
  expect(await runLogin(home, 'files', undefined, '--port', String(port))).toMatchObject({ code: 0 })
  issuer.expireAccess()
  expect(textOf(await (await gateway()).call('files__read'))).toBe('done')
  expect(filesWith(storeIn(home), new Set(['client-secret-1']))).toEqual([])
})

it('sends a header of the entry as it is, and nothing else', async () => {
  home.remove()
  const token = issuer.issue(server.url)
  home = createHome({ files: { url: server.url, headers: { authorization: `Bearer ${token}` } } }, PLAIN)
  const client = await gateway()
  expect(textOf(await client.call('files__read'))).toBe('done')
  issuer.expireAccess()
  expect(textOf(await client.call('files__read'))).toMatch(/wants authorization; give it in the entry's "headers"/)
  const { code, stderr } = await runSluice(home, 'login', 'files', '--config', home.config)
  expect([code, stderr]).toEqual([2, expect.stringContaining('has an Authorization header of its own')])
})

it.each([
  ['login', 'fils', /did you mean "files"/],
  ['logout', 'nothing-like-it', /there are files/],
])('names the servers there are: %s %s', async (command, name, expected) => {
  const { code, stderr } = await runSluice(home, command, name, '--config', home.config)
  expect([code, stderr]).toEqual([2, expect.stringMatching(expected)])
})

it('does not follow a server that sends a call with the token elsewhere', async () => {
  await runLogin(home, 'files')
  const thief = await serve((_req, res) => void res.writeHead(200).end('{}'))
  closing.push(thief.close)
  const client = await gateway()
  server.redirect = thief.url
  expect(textOf(await client.call('files__read'))).toMatch(/redirects to http/)
  expect(thief.seen).toEqual([])
})

async function freePort(): Promise<number> {
  const probe = await serve(() => undefined)
  await probe.close()
  return Number(new URL(probe.url).port)
}
