import zlib from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../fixtures/http-recorder.js'
import { HttpScene, onPost } from '../fixtures/http-scene.js'
import { events, idOf, json, result, serve, serveMcp, serveSdk } from '../fixtures/http-servers.js'

const scene = new HttpScene()

afterEach(() => scene.end())

describe.each([
  { mode: 'JSON', json: true, events: false },
  { mode: 'event streams', json: false, events: false },
  { mode: 'resumable event streams', json: false, events: true },
])("a link to the SDK's server that answers with $mode", (mode) => {
  it('carries calls, progress and notifications, and ends the session', async () => {
    const server = await scene.started(serveSdk(mode))
    const one = scene.client(server.url)
    expect(await one.connect()).toMatchObject({ serverInfo: { name: 'sdk' } })
    expect(await one.call('tools/call', { name: 'echo', arguments: { text: 'hello' } })).toMatchObject({
      result: { content: [{ text: 'hello' }] },
    })
    const many = Array.from({ length: 30 }, (_, i) => one.call('tools/call', { name: 'echo', arguments: { text: `n${i}` } }))
    expect((await Promise.all(many)).map((answer) => JSON.stringify(answer))).toHaveLength(30)
    if (!mode.json) {
      await one.call('tools/call', { name: 'steps', arguments: { count: 20 }, _meta: { progressToken: 't' } })
      const progress = one.recorder.messages().filter((message) => message['method'] === 'notifications/progress')
      expect(progress).toHaveLength(20)
    }
    await eventually(() => server.seen.some(({ method }) => method === 'GET'))
    await one.call('tools/call', { name: 'announce' })
    await one.recorder.notification('notifications/tools/list_changed')
    await one.link.close()
    const { method, headers } = server.seen.at(-1)!
    expect({ method, version: headers['mcp-protocol-version'] }).toEqual({ method: 'DELETE', version: '2025-11-25' })
    expect(headers['mcp-session-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(one.recorder.told.closed).toEqual([undefined])
    expect(one.recorder.told.failed.size).toBe(0)
  })
})

describe('a link to a Streamable HTTP server', () => {
  it('keeps a message behind the notification before it', async () => {
    const order: string[] = []
    const server = await scene.started(
      serve(async (_req, res, body) => {
        const { id, method } = JSON.parse(body) as { id?: number; method: string }
        if (id === undefined) await new Promise((resolve) => setTimeout(resolve, 40))
        order.push(method)
        if (id === undefined) res.writeHead(202).end()
        else json(res, result(id))
      }),
    )
    const one = scene.client(server.url)
    await one.open()
    one.send({ jsonrpc: '2.0', method: 'first' })
    one.send({ jsonrpc: '2.0', method: 'second' })
    await one.call('third')
    expect(order).toEqual(['first', 'second', 'third'])
  })

  it('gives the bytes of an answer as they came, on one line', async () => {
    const body =
      '{"jsonrpc": "2.0",\r\n "id": 2,\n "result": {"n": 1.0, "big": 12345678901234567890, "n": 1e400, "s": "\\u00e9\\n"}}\n'
    const { one } = await scene.against(onPost((_req, res) => json(res, `\ufeff${body}`)))
    await one.call('x')
    expect(Buffer.from(one.recorder.told.frames.at(-1)!).toString()).toBe(body.trim().replace(/[\r\n]/g, ' '))
  })

  it('takes batches apart, and an event of several data lines together', async () => {
    const note = '{"jsonrpc":"2.0","method":"notifications/a"}'
    const { one } = await scene.against(
      onPost((_req, res, body) => {
        if (body.includes('batch')) json(res, `[${note}, ${result(idOf(body))}]`)
        else {
          events(res)
          res.end(`event: other\ndata: ignored\n\ndata: {"jsonrpc":"2.0",\ndata: "id":${idOf(body)},"result":{}}\n\n`)
        }
      }),
    )
    await one.call('batch')
    await one.recorder.notification('notifications/a')
    await one.call('lines')
    expect(one.recorder.told.frames.every((frame) => !frame.includes(0x0a))).toBe(true)
  })

  it.each(['gzip', 'deflate', 'br'] as const)('decodes %s, which it did not ask for', async (encoding) => {
    const encode = { gzip: zlib.gzipSync, deflate: zlib.deflateSync, br: zlib.brotliCompressSync }[encoding]
    const { server, one } = await scene.against(
      onPost((_req, res, body) => {
        const type = body.includes('sse') ? 'text/event-stream' : 'application/json'
        const text = result(idOf(body), { text: 'x'.repeat(100_000) })
        res.writeHead(200, { 'content-type': type, 'content-encoding': encoding })
        res.end(encode(Buffer.from(body.includes('sse') ? `data: ${text}\n\n` : text)))
      }),
    )
    await one.call('json')
    await one.call('sse')
    expect(one.recorder.told.frames.slice(-2).map((frame) => frame.length > 100_000)).toEqual([true, true])
    expect(server.seen.at(-1)?.headers['accept-encoding']).toBe('identity')
  })

  it('carries 20 MB as JSON and as an event, each in a buffer of its own', async () => {
    const text = 'line "quoted" \\ é\n'.repeat(1_100_000)
    const { one } = await scene.against(
      onPost((_req, res, body) => {
        const answer = result(idOf(body), { content: [{ type: 'text', text }] })
        if (body.includes('json')) json(res, answer)
        else {
          events(res)
          res.end(`id: 1\ndata: ${answer}\n\n`)
        }
      }),
    )
    for (const method of ['json', 'event']) {
      const answer = (await one.call(method)) as { result: { content: { text: string }[] } }
      expect(answer.result.content[0]?.text === text).toBe(true)
      const frame = one.recorder.told.frames.at(-1)!
      expect(frame.buffer.byteLength - frame.length).toBeLessThan(16)
    }
  })

  it('drops what is above the limit, tells its beginning, and goes on', async () => {
    const server = await scene.started(
      serveMcp(
        onPost((_req, res, body) => {
          const answer = result(idOf(body), { text: body.includes('large') ? 'x'.repeat(1 << 20) : 'small' })
          if (body.includes('event')) {
            events(res)
            res.end(`data: ${answer}\n\n`)
          } else if (body.includes('chunked')) {
            res.writeHead(200, { 'content-type': 'application/json' })
            res.write(answer.slice(0, 1000))
            res.end(answer.slice(1000))
          } else json(res, answer, { 'content-length': answer.length })
        }),
      ),
    )
    const one = scene.client(server.url, { maxMessageBytes: 200_000 })
    await one.connect()
    for (const method of ['large', 'large chunked', 'large event']) {
      const id = one.request(method)
      expect(await one.recorder.failure(id)).toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
      const { head, bytes } = one.recorder.told.tooLong.at(-1)!
      expect(bytes).toBeGreaterThan(200_000)
      expect(Buffer.from(head).toString()).toMatch(new RegExp(`^\\{"jsonrpc":"2.0","id":${id},"result"`))
      expect(head.length).toBeLessThanOrEqual(65_536)
    }
    expect(await one.call('tiny')).toMatchObject({ result: { text: 'small' } })
  })

  it('follows 307 and 308 within the origin, and nothing else', async () => {
    const other = await scene.started(serveMcp(onPost((_req, res, body) => json(res, result(idOf(body))))))
    const server = await scene.started(
      serve((req, res, body) => {
        const to = { '/mcp': '/there', '/there': '/mcp/', '/other': other.url, '/moved': '/mcp/', '/loop': '/loop' }[
          req.url ?? ''
        ]
        if (to) res.writeHead(req.url === '/moved' ? 302 : req.url === '/mcp' ? 307 : 308, { location: to }).end('moved')
        else json(res, result(idOf(body), { method: req.method, body }))
      }),
    )
    const one = scene.client(server.url)
    await one.open()
    expect(await one.call('x')).toMatchObject({ result: { method: 'POST', body: expect.stringContaining('"x"') } })
    for (const [path, detail] of [
      ['/other', `redirects to ${other.origin}`],
      ['/moved', 'HTTP 302, a redirect that is not followed'],
      ['/loop', 'in circles'],
    ]) {
      const two = scene.client(server.origin + path)
      await two.open()
      expect((await two.recorder.failure(two.request('x'))).detail).toContain(detail)
    }
    expect(other.seen).toEqual([])
  })

  it('leaves no socket, and ends what is open, when it is closed', async () => {
    const { server, one } = await scene.against(
      (req, res) => {
        if (req.method !== 'DELETE') events(res)
      },
      { session: 'session-1' },
    )
    one.request('never answered')
    await eventually(() => server.seen.length === 4)
    await Promise.all([one.link.close(), one.link.close()])
    expect(one.recorder.told).toMatchObject({ closed: [undefined] })
    expect(one.recorder.told.failed.size).toBe(0)
    await eventually(() => server.sockets() === 0)
    one.request('after the end')
  })

  it('lets go of a request that is cancelled', async () => {
    const { server, one } = await scene.against(
      onPost((_req, res) => {
        events(res)
        res.write(': open\n\n')
      }),
    )
    const id = one.request('slow')
    await eventually(() => server.seen.length === 4)
    one.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }, { cancels: id })
    await eventually(() => server.sockets() < 2)
    expect(one.recorder.told.failed.size).toBe(0)
  })
})
