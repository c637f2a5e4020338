import { afterEach, describe, expect, it } from 'vitest'
import { HttpScene, onPost } from '../fixtures/http-scene.js'
import { events, result, serveSdk } from '../fixtures/http-servers.js'

const scene = new HttpScene()

afterEach(() => scene.end())

describe('an event stream of a link', () => {
  it('comes back for an answer after the server closed the stream to be polled', async () => {
    const server = await scene.started(serveSdk({ json: false, events: true }))
    const one = scene.client(server.url)
    await one.connect()
    expect(await one.call('tools/call', { name: 'polled' })).toMatchObject({ result: { content: [{ text: 'came later' }] } })
    expect(server.seen.filter(({ headers }) => headers['last-event-id'] !== undefined).length).toBeGreaterThan(0)
  })

  it('resumes a stream that was closed or broken, as often as needed, and takes nothing twice', async () => {
    let resumed = 0
    const { server, one } = await scene.against((req, res) => {
      const last = req.headers['last-event-id']
      if (req.method === 'POST') {
        events(res)
        res.end('id: p0\nretry: 20\ndata:\n\n')
      } else if (last === undefined) res.writeHead(405).end()
      else if (resumed++ === 0) res.writeHead(503).end()
      else if (last === 'p0' && resumed < 4) {
        events(res)
        res.end()
      } else if (last === 'p0') {
        events(res)
        res.write('id: p1\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\nid: p2\ndata: {"half', () =>
          res.destroy(),
        )
      } else {
        events(res)
        res.end(`id: p2\ndata: ${result(2, { last })}\n\n`)
      }
    })
    expect(await one.call('tools/call')).toEqual({ jsonrpc: '2.0', id: 2, result: { last: 'p1' } })
    expect(one.recorder.messages().filter((message) => message['method'] === 'notifications/message')).toHaveLength(1)
    expect(server.seen.filter(({ headers }) => headers['last-event-id'] === 'p0')).toHaveLength(4)
  })

  it('fails a request at once whose stream ends without an answer or an event id', async () => {
    const { one } = await scene.against(
      onPost((_req, res) => {
        events(res)
        res.end('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n')
      }),
    )
    const failure = await one.recorder.failure(one.request('tools/call'))
    expect(failure).toMatchObject({ code: 'UPSTREAM_CONNECT', detail: expect.stringContaining('before the answer came') })
    await one.recorder.notification('notifications/message')
  })

  it('listens on the GET stream, and comes back with the last event id', async () => {
    let connects = 0
    const { one } = await scene.against((req, res) => {
      if (req.method !== 'GET') return
      connects++
      events(res)
      const method = `notifications/${connects}`
      res.write(
        `retry: 20\nid: e${connects}\ndata: ${JSON.stringify({ jsonrpc: '2.0', method, params: { last: req.headers['last-event-id'] ?? '' } })}\n\n`,
      )
      if (connects < 3) res.end()
    })
    expect(await one.recorder.notification('notifications/3')).toMatchObject({ params: { last: 'e2' } })
  })
})
