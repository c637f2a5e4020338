/** Messages over HTTP: what well-behaved clients get for them, and all the others. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, type HttpGateway, message, RawClient, startGateway } from '../support/http-gateway.js'
import { GET_HEADERS, POST_HEADERS, send } from '../support/raw-http.js'

let gateway: HttpGateway
let raw: RawClient

beforeAll(async () => {
  gateway = await startGateway({ maxBodyBytes: 1 << 20 })
  raw = await RawClient.open(gateway.url)
})

afterAll(() => gateway.close())

const errorOf = (text: string) => (JSON.parse(text) as { error: { code: number; message: string } }).error

describe('a client of the SDK', () => {
  it('calls, hears progress and notifications, and ends its session', async () => {
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(gateway.url))
    const heard: unknown[] = []
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      heard.push(params.data)
    })
    await client.connect(transport)
    const session = gateway.host.last
    expect(session.id).toBe(transport.sessionId)
    const steps: number[] = []
    const slow = { name: 'slow', arguments: { steps: 5 } }
    await client.callTool(slow, undefined, { onprogress: ({ progress }) => steps.push(progress) })
    expect(steps.length).toBeGreaterThanOrEqual(4)
    session.notify('out of the blue')
    while (heard.length === 0) await client.ping()
    expect(heard).toEqual(['out of the blue'])
    await transport.terminateSession()
    expect(session.closed).toBe(true)
    await client.close()
  })

  it('gets an answer of 20 MB', async () => {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)))
    const { content } = await client.callTool({ name: 'big', arguments: { bytes: 20_000_000 } })
    expect((content as { text: string }[])[0]?.text).toHaveLength(20_000_000)
    await client.close()
  })

  it('answers a request of the server in the middle of its call', async () => {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } })
    const { ListRootsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js')
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a' }] }))
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)))
    const { content } = await client.callTool({ name: 'ask', arguments: {} })
    expect((content as { text: string }[])[0]?.text).toContain('file:///a')
    await client.close()
  })
})

describe('POST', () => {
  it('answers a quick request as JSON of known length, byte for byte', async () => {
    const { status, headers, text } = await raw.post(call(2, 'echo', { a: 1 }))
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/json')
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
    expect(text).toBe('{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\\"a\\":1}"}]}}')
  })

  it('answers 202 without a body to notifications and responses', async () => {
    const notification = await raw.post(message(undefined, 'notifications/initialized'))
    const response = await raw.post('{"jsonrpc":"2.0","id":99,"result":{}}')
    expect([notification.status, notification.text, response.status, response.text]).toEqual([202, '', 202, ''])
  })

  it('answers 400 without a session and 404 to an unknown one, with a JSON-RPC error', async () => {
    const missing = await send(gateway.url, 'POST', POST_HEADERS, message(1, 'ping'))
    expect([missing.status, errorOf(missing.text).code]).toEqual([400, -32600])
    const unknown = await send(gateway.url, 'POST', { ...POST_HEADERS, 'mcp-session-id': 'x' }, message(1, 'ping'))
    expect([unknown.status, errorOf(unknown.text).code]).toEqual([404, -32001])
  })

  it.each([
    ['{broken', -32700],
    ['', -32700],
    ['{"id":1}', -32600],
    ['[]', -32600],
    ['7', -32600],
  ])('answers 400 to the body %j', async (body, code) => {
    const { status, text } = await raw.post(body)
    expect([status, errorOf(text).code]).toEqual([400, code])
  })

  it.each([
    [{ accept: 'text/html' }, 406],
    [{ accept: 'application/json;q=0' }, 406],
    [{ 'content-type': 'text/plain' }, 415],
    [{ 'content-type': 'application/jsonp' }, 415],
    [{ 'content-encoding': 'gzip' }, 415],
    [{ 'mcp-protocol-version': '2020-01-01' }, 400],
    [{ 'content-type': 'Application/JSON; charset=utf-8' }, 200],
    [{ accept: '*/*' }, 200],
    [{ accept: 'application/json' }, 200],
    [{ accept: 'text/*;q=0.5, image/png' }, 200],
  ])('judges the headers %j with %i', async (headers, expected) => {
    const { status, text } = await raw.post(message(3, 'ping'), headers as Record<string, string>)
    expect(status).toBe(expected)
    if (expected !== 200) expect(errorOf(text).message).not.toBe('')
  })

  it('names the supported revisions when it refuses one', async () => {
    const { text } = await raw.post(message(3, 'ping'), { 'mcp-protocol-version': '2020-01-01' })
    expect(text).toContain('2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25')
  })

  it.each([[true], [false]])('answers 413 to a body over the limit (length known: %s)', async (known) => {
    const body = Buffer.alloc(8 << 20, 0x20)
    const framing = known ? { 'content-length': String(body.length) } : { 'transfer-encoding': 'chunked' }
    const { status, text } = await raw.post(body, framing as Record<string, string>)
    expect([status, errorOf(text).message]).toEqual([413, expect.stringContaining('1048576')])
    expect(await fetchStatus(body)).toBe(413)
  })

  it('takes batches from sessions of 2025-03-26 and answers with an array', async () => {
    const old = await RawClient.open(gateway.url, '2025-03-26')
    const batch = `[${message(5, 'ping')},${message(undefined, 'notifications/x')},${call(6, 'echo')}]`
    const { status, text } = await old.post(batch)
    expect(status).toBe(200)
    expect((JSON.parse(text) as { id: number }[]).map(({ id }) => id)).toEqual([5, 6])
  })

  it('refuses batches from later sessions, whether the header names the revision or not', async () => {
    const batch = `[${message(5, 'ping')}]`
    const { 'mcp-session-id': id = '' } = raw.headers
    expect((await raw.post(batch)).status).toBe(400)
    expect((await send(gateway.url, 'POST', { ...POST_HEADERS, 'mcp-session-id': id }, batch)).status).toBe(400)
  })

  it('refuses batches from sessions of 2024-11-05, which did not know them', async () => {
    const old = await RawClient.open(gateway.url, '2024-11-05')
    const { status, text } = await old.post(`[${message(5, 'ping')}]`)
    expect([status, errorOf(text).message]).toEqual([400, expect.stringContaining('only revision 2025-03-26 has batches')])
  })

  it('refuses a batch with a fault as a whole, and initialize in a batch', async () => {
    const old = await RawClient.open(gateway.url, '2025-03-26')
    const before = gateway.host.last.received.length
    expect((await old.post(`[${message(5, 'ping')},{"id":6}]`)).status).toBe(400)
    expect(gateway.host.last.received).toHaveLength(before)
    const sessions = gateway.host.sessions.length
    const batch = `[${message(1, 'initialize', { protocolVersion: '2025-03-26' })},${message(2, 'ping')}]`
    expect((await send(gateway.url, 'POST', POST_HEADERS, batch)).status).toBe(400)
    expect(gateway.host.sessions).toHaveLength(sessions)
  })

  it('refuses an id that is in flight', async () => {
    const client = await RawClient.open(gateway.url)
    const held = await client.stream(call(2, 'hold'))
    const twin = await client.post(call(2, 'echo'))
    expect([twin.status, errorOf(twin.text).message]).toEqual([400, expect.stringContaining('in flight')])
    gateway.host.last.finish('2', {})
    await held.events.next()
  })

  it('ends the session that failed to initialize', async () => {
    const { headers, text } = await send(gateway.url, 'POST', POST_HEADERS, message(1, 'initialize', {}))
    expect(errorOf(text).code).toBe(-32602)
    expect(gateway.host.last.closed).toBe(true)
    const again = { ...POST_HEADERS, 'mcp-session-id': String(headers['mcp-session-id']) }
    expect((await send(gateway.url, 'POST', again, message(2, 'ping'))).status).toBe(404)
  })

  it('does not mistake a later request under the id of initialize for it', async () => {
    const client = await RawClient.open(gateway.url)
    expect((await client.post(message(1, 'ping'))).status).toBe(200)
    expect((await client.post(message(1, 'ping'))).status).toBe(200)
    expect(gateway.host.last.closed).toBe(false)
  })

  it('puts messages on one line', async () => {
    await raw.post('{\r\n  "jsonrpc": "2.0",\n  "id": 30,\n  "method": "ping"\n}\n')
    const frames = gateway.host.sessions[0]?.received.map(({ frame }) => Buffer.from(frame).toString()) ?? []
    expect(frames.at(-1)).not.toMatch(/[\r\n]/)
  })

  it('carries a thousand pings from a hundred connections', async () => {
    const client = await RawClient.open(gateway.url)
    const answers: number[] = []
    const headers = { ...POST_HEADERS, ...client.headers }
    const ping = async (lane: number): Promise<void> => {
      for (let id = lane; id < 1010; id += 100) {
        const response = await fetch(gateway.url, { method: 'POST', headers, body: message(id, 'ping') })
        answers.push(((await response.json()) as { id: number }).id)
      }
    }
    await Promise.all(Array.from({ length: 100 }, (_, lane) => ping(lane + 10)))
    expect(new Set(answers).size).toBe(1000)
  })
})

describe('GET and DELETE', () => {
  it('want a known session, and GET one that takes events', async () => {
    expect((await send(gateway.url, 'GET', GET_HEADERS)).status).toBe(400)
    expect((await send(gateway.url, 'GET', { ...GET_HEADERS, 'mcp-session-id': 'x' })).status).toBe(404)
    expect((await send(gateway.url, 'DELETE', {})).status).toBe(400)
    expect((await send(gateway.url, 'DELETE', { 'mcp-session-id': 'x' })).status).toBe(404)
    expect((await raw.get({ accept: 'application/json' })).status).toBe(406)
  })

  it('DELETE ends the session, and later requests are 404', async () => {
    const client = await RawClient.open(gateway.url)
    const session = gateway.host.last
    expect((await client.delete()).status).toBe(204)
    expect(session.closed).toBe(true)
    expect((await client.post(message(2, 'ping'))).status).toBe(404)
    expect((await client.delete()).status).toBe(404)
  })
})

async function fetchStatus(body: Uint8Array<ArrayBuffer>): Promise<number> {
  const response = await fetch(gateway.url, { method: 'POST', headers: { ...POST_HEADERS, ...raw.headers }, body })
  return response.status
}
