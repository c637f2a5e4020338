import { afterEach, describe, expect, it } from 'vitest'
import { TestClient } from '../fixtures/http-recorder.js'
import { type Answer, idOf, json, result, serve, type TestServer } from '../fixtures/http-servers.js'

const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A server whose sessions can be forgotten, and a client that initialises again and sends what it is given back. */
async function forgetful(refuse: Answer): Promise<{ server: TestServer; one: TestClient; forget: () => void }> {
  let session = 0
  let known = true
  const server = await serve((req, res, body) => {
    if (req.method !== 'POST') res.writeHead(405).end()
    else if (body.includes('"method":"initialize"')) {
      session++
      known = true
      json(res, result(idOf(body), { protocolVersion: '2025-11-25' }), { 'mcp-session-id': `s${session}` })
    } else if (!known || req.headers['mcp-session-id'] !== `s${session}`) return refuse(req, res, body)
    else if (idOf(body) === undefined) res.writeHead(202).end()
    else json(res, result(idOf(body), { session }))
    return undefined
  })
  const one = new TestClient(server.url)
  ends.push(server.close, () => one.link.close())
  one.recorder.onSessionLost = (pending) => {
    one.link.reset()
    void one.initialize().then(() => {
      for (const id of pending) one.request('replayed', {}, id)
    })
  }
  await one.connect()
  const forget = () => {
    known = false
  }
  return { server, one, forget }
}

describe('a link whose session the server forgets', () => {
  it.each([
    ['404', 404, '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}'],
    ['404 without a body', 404, ''],
    [
      '400, as many do',
      400,
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":3}',
    ],
    [
      '400 of a fresh SDK transport',
      400,
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}',
    ],
  ])('gives the request back on %s, once, and goes on in a new session', async (_name, status, text) => {
    const { server, one, forget } = await forgetful((_req, res) => void res.writeHead(status).end(text))
    await one.call('x')
    forget()
    const answers = await Promise.all([1, 2, 3, 4].map(() => one.call('x')))
    expect(answers.map((answer) => answer['result'])).toEqual(Array(4).fill({ session: 2 }))
    expect(one.recorder.told.lost).toHaveLength(1)
    expect(one.recorder.told.lost[0]).toHaveLength(1)
    expect(one.recorder.told.failed.size).toBe(0)
    expect(server.seen.at(-1)?.headers['mcp-session-id']).toBe('s2')
    const anew = server.seen.filter(({ body }) => body.includes('"initialize"')).map(({ headers }) => headers)
    expect(anew.map((headers) => [headers['mcp-session-id'], headers['mcp-protocol-version']])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
  })

  it('holds back what was waiting behind a notification when the session went', async () => {
    const { one, forget } = await forgetful((_req, res) => void res.writeHead(404).end())
    await one.call('x')
    forget()
    one.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })
    expect((await one.call('x'))['result']).toEqual({ session: 2 })
    expect(one.recorder.told.failed.size).toBe(0)
  })

  it('fails a request that the new session refuses too', async () => {
    const server = await serve((req, res, body) => {
      if (req.method !== 'POST') res.writeHead(405).end()
      else if (body.includes('"method":"initialize"')) json(res, result(idOf(body), {}), { 'mcp-session-id': 'same' })
      else if (idOf(body) === undefined) res.writeHead(202).end()
      else res.writeHead(404).end('no such session')
    })
    const one = new TestClient(server.url)
    ends.push(server.close, () => one.link.close())
    one.recorder.onSessionLost = (pending) => {
      one.link.reset()
      void one.initialize().then(() => one.request('replayed', {}, pending[0] ?? 0))
    }
    await one.connect()
    const failure = await one.recorder.failure(one.request('x'))
    expect(failure).toMatchObject({ code: 'UPSTREAM_PROTOCOL', detail: expect.stringContaining('just given') })
  })

  it('takes a 404 that is an error of the request for what it is', async () => {
    const server = await serve((req, res, body) => {
      if (body.includes('"method":"initialize"')) json(res, result(idOf(body), {}), { 'mcp-session-id': 'a' })
      else if (req.method === 'POST' && idOf(body) !== undefined) {
        res
          .writeHead(404)
          .end(JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error: { code: -32601, message: 'no such method' } }))
      } else res.writeHead(405).end()
    })
    const one = new TestClient(server.url)
    ends.push(server.close, () => one.link.close())
    await one.connect()
    expect(await one.call('x')).toMatchObject({ error: { code: -32601 } })
    expect(one.recorder.told.lost).toEqual([])
  })
})
