/** The HTTP server around `/mcp`: who may come in, health, start and end. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/logger.js'
import type { Access } from '../../src/transport/access.js'
import { serveHttp } from '../../src/transport/http-server.js'
import { EchoHost } from '../support/echo-host.js'
import { call, type HttpGateway, message, RawClient, startGateway } from '../support/http-gateway.js'
import { POST_HEADERS, send } from '../support/raw-http.js'

const everybodyIsNamed: Access = {
  required: true,
  identify: ({ headers }) => {
    const id = headers.authorization?.slice('Bearer '.length)
    return id === undefined ? undefined : { id, name: id }
  },
  challenge: () => 'Bearer',
  metadata: undefined,
  onRevoked: () => undefined,
  close: () => undefined,
}

let gateway: HttpGateway
let raw: RawClient

beforeAll(async () => {
  gateway = await startGateway({ allowedOrigins: ['https://app.example.com'] })
  raw = await RawClient.open(gateway.url)
})

afterAll(() => gateway.close())

describe('the HTTP server', () => {
  it('tells its health', async () => {
    const { status, text } = await send(gateway.url.replace('/mcp', '/healthz?x=1'), 'GET', {})
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({
      status: 'ok',
      version: expect.any(String),
      upstreams: 0,
      uptimeSeconds: expect.any(Number),
    })
    const head = await send(gateway.url.replace('/mcp', '/healthz'), 'HEAD', {})
    expect([head.status, head.text]).toEqual([200, ''])
    const post = await send(gateway.url.replace('/mcp', '/healthz'), 'POST', {})
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  it('answers 404 elsewhere and 405 to other methods', async () => {
    expect((await send(gateway.url.replace('/mcp', '/x'), 'GET', {})).status).toBe(404)
    const put = await send(gateway.url, 'PUT', {})
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, POST, DELETE, OPTIONS'])
  })

  it.each([
    ['evil.example', undefined, 403],
    ['localhost.evil.example:80', undefined, 403],
    ['127.0.0.1@evil.example', undefined, 403],
    ['localhost:1', undefined, 200],
    ['[::1]:7411', undefined, 200],
    ['127.0.0.1', 'https://evil.example', 403],
    ['127.0.0.1', 'null', 403],
    ['127.0.0.1', 'http://localhost.evil.example', 403],
    ['127.0.0.1', 'http://localhost:5173', 200],
    ['127.0.0.1', 'http://[::1]:5173', 200],
    ['127.0.0.1', 'https://app.example.com', 200],
  ])('judges Host %j and Origin %j with %i', async (host, origin, expected) => {
    const headers: Record<string, string> = origin === undefined ? { host } : { host, origin }
    const { status } = await raw.post(message(4, 'ping'), headers)
    expect(status).toBe(expected)
  })

  it('answers the preflight of an allowed page and exposes the session id', async () => {
    const origin = 'http://localhost:5173'
    const preflight = await send(gateway.url, 'OPTIONS', { origin, 'access-control-request-method': 'POST' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-origin']).toBe(origin)
    for (const name of ['Mcp-Session-Id', 'Last-Event-ID', 'MCP-Protocol-Version']) {
      expect(preflight.headers['access-control-allow-headers']).toContain(name)
    }
    const { headers } = await raw.post(message(4, 'ping'), { origin })
    expect(headers['access-control-expose-headers']).toContain('Mcp-Session-Id')
    expect((await send(gateway.url, 'OPTIONS', { origin: 'https://evil.example' })).status).toBe(403)
  })

  it('says which port is taken and how to choose another', async () => {
    const port = Number(new URL(gateway.url).port)
    await expect(startGateway({ port })).rejects.toMatchObject({
      code: 'USAGE',
      detail: expect.stringMatching(new RegExp(`${port}.*--port`)),
    })
  })

  it('refuses to listen beyond loopback without tokens', async () => {
    const options = { host: new EchoHost(), port: 0, sessionIdleMs: 1000, logger: silentLogger, status: () => ({}) }
    await expect(serveHttp({ ...options, hostname: '0.0.0.0' })).rejects.toMatchObject({
      code: 'USAGE',
      detail: expect.stringContaining('token'),
    })
  })

  it('lets in whom its access names, and keeps their sessions apart', async () => {
    const guarded = await startGateway({ access: everybodyIsNamed })
    const initialize = message(1, 'initialize', { protocolVersion: '2025-11-25' })
    const stranger = await send(guarded.url, 'POST', POST_HEADERS, initialize)
    expect([stranger.status, stranger.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    const opened = await send(guarded.url, 'POST', { ...POST_HEADERS, authorization: 'Bearer ann' }, initialize)
    const headers = { ...POST_HEADERS, 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    expect((await send(guarded.url, 'POST', { ...headers, authorization: 'Bearer ann' }, message(2, 'ping'))).status).toBe(200)
    expect((await send(guarded.url, 'POST', { ...headers, authorization: 'Bearer bob' }, message(2, 'ping'))).status).toBe(404)
    await guarded.close()
  })

  it('survives clients that break off in the middle of a request', async () => {
    const { port } = new URL(gateway.url)
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\ncontent-length: 100\r\n\r\n{"json`,
    )
    socket.destroy()
    const nonsense = connect(Number(port), '127.0.0.1')
    nonsense.end('no http at all\r\n\r\n')
    await once(nonsense.resume(), 'close')
    expect((await raw.post(message(9, 'ping'))).status).toBe(200)
  })

  it('ends streams, waiting requests and sessions when it closes', async () => {
    const other = await startGateway()
    const client = await RawClient.open(other.url)
    const general = await client.listen()
    const held = await client.stream(call(2, 'hold'))
    const waiting = client.post(call(3, 'hold'), { accept: 'application/json' })
    while (other.host.last.calls.size < 2) await new Promise(setImmediate)
    await Promise.all([other.close(), other.close()])
    expect((await waiting).status).toBe(503)
    await Promise.all([consume(general.events), consume(held.events)])
    expect(other.host.last.closed).toBe(true)
    await expect(client.post(message(4, 'ping'))).rejects.toThrow('ECONNREFUSED')
  })
})

async function consume(events: AsyncIterable<unknown>): Promise<void> {
  for await (const event of events) expect(event).toBeDefined()
}
