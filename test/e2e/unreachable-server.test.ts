/** An HTTP server that goes and comes back: its state is told as it is, and what the client had asked for holds on. */
import { afterEach, expect, it } from 'vitest'
import { type Answer, idOf, json, result, serve, type TestServer } from '../fixtures/http-servers.js'
import type { RawClient } from '../support/raw-client.js'
import { Stage } from '../support/raw-gateway.js'
import { until } from '../support/upstreams.js'

const stage = new Stage()
const servers: TestServer[] = []
afterEach(async () => {
  await stage.close()
  for (const server of servers.splice(0)) await server.close()
})

const FACTS = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {}, resources: { subscribe: true }, logging: {} },
  serverInfo: { name: 'comes-and-goes', version: '1' },
}

/** One life of the server: it knows the sessions of its own life only. */
async function live(session: string, port = 0): Promise<TestServer> {
  const answer: Answer = (req, res, body) => {
    if (req.method !== 'POST') res.writeHead(405).end()
    else if (body.includes('"method":"initialize"')) json(res, result(idOf(body), FACTS), { 'mcp-session-id': session })
    else if (req.headers['mcp-session-id'] !== session) res.writeHead(404).end()
    else if (idOf(body) === undefined) res.writeHead(202).end()
    else json(res, result(idOf(body), { tools: [{ name: 'a' }], resources: [], resourceTemplates: [] }))
  }
  const server = await serve(answer, '/mcp', port)
  servers.push(server)
  return server
}

it('tells that its server cannot be reached, and reminds it of subscriptions and log level when it is back', async () => {
  const before = await live('first')
  const client = await stage.ready('stdio', { one: { url: before.url } })
  await client.ask('logging/setLevel', { level: 'warning' })
  await client.ask('resources/subscribe', { uri: 'test://a' })
  expect(await stateOf(client)).toMatchObject({ state: 'ready', restarts: 0 })

  await before.close()
  const { error } = await client.call('a')
  expect(error?.message).toMatch(/^server "one": cannot reach .* \(UPSTREAM_CONNECT: check its url and that it runs\)$/)
  expect(await stateOf(client)).toMatchObject({ state: 'unreachable', lastError: { code: 'UPSTREAM_CONNECT' } })

  const after = await live('second', Number(new URL(before.url).port))
  const heard = (method: string) =>
    after.seen.some(({ body, headers }) => body.includes(method) && headers['mcp-session-id'] === 'second')
  await until(() => heard('"logging/setLevel"') && heard('"resources/subscribe"'))
  expect(await stateOf(client)).toMatchObject({ state: 'ready', restarts: 1 })
  expect((await client.call('a')).result).toBeDefined()
})

async function stateOf(client: RawClient): Promise<unknown> {
  const { result } = await client.ask('resources/read', { uri: 'sluice://servers' })
  const [{ text = '' } = {}] = (result?.['contents'] ?? []) as { text?: string }[]
  return (JSON.parse(text) as { servers: unknown[] }).servers[0]
}
