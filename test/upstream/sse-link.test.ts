import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../fixtures/http-recorder.js'
import { HttpScene } from '../fixtures/http-scene.js'
import { events, idOf, result, serve, serveSdk, serveSdkSse } from '../fixtures/http-servers.js'

const scene = new HttpScene()

afterEach(() => scene.end())

describe.each(['sse', 'auto'] as const)("a link of kind %s to the SDK's older server", (kind) => {
  it('carries calls and notifications, and tells when the stream ends', async () => {
    const server = await scene.started(serveSdkSse())
    const one = scene.client(server.url, { kind })
    expect(await one.connect()).toMatchObject({ serverInfo: { name: 'sdk' } })
    const many = Array.from({ length: 20 }, (_, i) => one.call('tools/call', { name: 'echo', arguments: { text: `n${i}` } }))
    expect(await Promise.all(many)).toHaveLength(20)
    await one.call('tools/call', { name: 'announce' })
    await one.recorder.notification('notifications/tools/list_changed')
    server.cut()
    const [cause] = await one.recorder.until((told) => (told.closed.length > 0 ? told.closed : undefined))
    expect(cause).toMatchObject({ code: 'UPSTREAM_CONNECT' })
    one.request('after the end')
    await one.link.close()
    expect(one.recorder.told.closed).toHaveLength(1)
    expect(one.recorder.told.failed.size).toBe(0)
  })

  it('ends with its sockets when it is closed', async () => {
    const server = await scene.started(serveSdkSse())
    const one = scene.client(server.url, { kind })
    await one.connect()
    await one.link.close()
    expect(one.recorder.told.closed).toEqual([undefined])
    await eventually(() => server.sockets() === 0)
  })
})

describe('a link of kind auto', () => {
  it('stays with Streamable HTTP where the server speaks it', async () => {
    const server = await scene.started(serveSdk({ json: true }))
    const one = scene.client(server.url, { kind: 'auto' })
    await one.connect()
    await one.call('tools/list')
    await one.link.close()
    expect(server.seen.at(-1)?.method).toBe('DELETE')
    expect(one.recorder.told.closed).toEqual([undefined])
  })

  it('tells both refusals where the server speaks neither', async () => {
    const server = await scene.started(serve((req, res) => void res.writeHead(req.method === 'POST' ? 405 : 418).end('tea')))
    const one = scene.client(server.url, { kind: 'auto' })
    await one.open()
    const failure = await one.recorder.failure(one.request('initialize'))
    expect(failure.detail).toMatch(/HTTP 405: tea \(nor is there an event stream: .*HTTP 418: tea\)/)
    expect(failure.code).toBe('UPSTREAM_REFUSED')
  })

  it('does not fall back from a demand for authorization', async () => {
    const server = await scene.started(serve((_req, res) => void res.writeHead(401).end()))
    const one = scene.client(server.url, { kind: 'auto' })
    await one.open()
    expect((await one.recorder.failure(one.request('initialize'))).detail).toContain('authorization')
    expect(server.seen.map(({ method }) => method)).toEqual(['POST'])
  })

  it('can be closed while it falls back', async () => {
    const server = await scene.started(
      serve((req, res) => (req.method === 'POST' ? void res.writeHead(404).end() : events(res))),
    )
    const one = scene.client(server.url, { kind: 'auto' })
    await one.open()
    one.request('initialize')
    await eventually(() => server.seen.length === 2)
    await one.link.close()
    await eventually(() => server.sockets() === 0)
    expect(one.recorder.told).toMatchObject({ closed: [undefined] })
    expect(one.recorder.told.failed.size).toBe(0)
  })
})

describe('a link to an older server', () => {
  it.each([
    { what: 'a page', status: 200, type: 'text/html', text: '<html>', detail: 'text/html in place of an event stream' },
    { what: 'a refusal', status: 404, type: 'text/plain', text: 'nothing here', detail: 'HTTP 404: nothing here' },
    { what: 'an end at once', status: 200, type: 'text/event-stream', text: '', detail: 'ended' },
    {
      what: 'an endpoint elsewhere',
      status: 200,
      type: 'text/event-stream',
      text: 'event: endpoint\ndata: http://127.0.0.2:1/x\n\n',
      detail: 'another origin',
    },
  ])('does not open on $what', async ({ status, type, text, detail }) => {
    const server = await scene.started(serve((_req, res) => void res.writeHead(status, { 'content-type': type }).end(text)))
    const one = scene.client(server.url, { kind: 'sse' })
    const code = status === 404 ? 'UPSTREAM_REFUSED' : 'UPSTREAM_CONNECT'
    await expect(one.open()).rejects.toMatchObject({ code, detail: expect.stringContaining(detail) })
    expect(one.recorder.told.closed).toEqual([])
  })

  it('can be aborted while it waits for the endpoint', async () => {
    const server = await scene.started(serve((_req, res) => events(res)))
    const one = scene.client(server.url, { kind: 'sse' })
    const abort = new AbortController()
    const opening = one.link.open(abort.signal)
    await eventually(() => server.seen.length === 1)
    abort.abort()
    await expect(opening).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it('skips an event above the limit and reads on, and fails a message that is refused', async () => {
    let stream: ServerResponse | undefined
    const server = await scene.started(
      serve((req, res, body) => {
        if (req.method === 'GET') {
          events(res)
          stream = res
          res.write('event: endpoint\ndata: ?session=1\n\n')
        } else if (body.includes('refused')) res.writeHead(400).end('no')
        else {
          res.writeHead(202).end('Accepted')
          stream?.write(`data: ${result(idOf(body), { text: 'x'.repeat(body.includes('large') ? 100_000 : 1) })}\n\n`)
        }
      }, '/sse?key=1'),
    )
    const one = scene.client(server.url, { kind: 'sse', maxMessageBytes: 50_000 })
    await one.open()
    one.request('large')
    await one.recorder.until((told) => told.tooLong[0])
    await one.call('small')
    expect((await one.recorder.failure(one.request('refused'))).detail).toContain('HTTP 400: no')
    expect(server.seen.at(-1)?.path).toBe('/sse?session=1')
  })
})
