import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../fixtures/http-recorder.js'
import { HttpScene, onPost } from '../fixtures/http-scene.js'
import { idOf, json, result, serve } from '../fixtures/http-servers.js'

const scene = new HttpScene()

afterEach(() => scene.end())

const LONG_PAGE = `<b>Bad\n gateway</b>${'x'.repeat(900)}`

describe('a link to a server that refuses or fails', () => {
  it('takes an error that answers the request, whatever the status', async () => {
    const { one } = await scene.against(
      onPost((_req, res, body) => {
        res.writeHead(500, { 'content-type': 'application/json' })
        res.end(JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error: { code: -32602, message: 'bad', data: { a: 1 } } }))
      }),
    )
    expect(await one.call('x')).toMatchObject({ error: { code: -32602, message: 'bad', data: { a: 1 } } })
  })

  it.each([
    {
      what: 'garbage in place of JSON',
      status: 200,
      type: 'application/json',
      text: 'oops {',
      code: 'UPSTREAM_PROTOCOL',
      detail: /HTTP 200 without an answer/,
    },
    {
      what: 'a page',
      status: 200,
      type: 'text/html',
      text: '<html>hi</html>',
      code: 'UPSTREAM_PROTOCOL',
      detail: /without an answer/,
    },
    {
      what: 'an answer to something else',
      status: 200,
      type: 'application/json',
      text: result(77),
      code: 'UPSTREAM_PROTOCOL',
      detail: /without an answer/,
    },
    { what: 'nothing', status: 202, type: '', text: '', code: 'UPSTREAM_PROTOCOL', detail: /HTTP 202 without an answer/ },
    {
      what: 'an error page',
      status: 502,
      type: 'text/html',
      text: LONG_PAGE,
      code: 'UPSTREAM_CONNECT',
      detail: /HTTP 502: <b>Bad gateway<\/b>x+…$/,
    },
    {
      what: 'an authorization',
      status: 401,
      type: 'text/plain',
      text: 'no',
      code: 'UPSTREAM_REFUSED',
      detail: /HTTP 401: the server wants authorization/,
    },
    {
      what: 'a prohibition',
      status: 403,
      type: 'text/plain',
      text: 'no',
      code: 'UPSTREAM_REFUSED',
      detail: /HTTP 403: the server wants authorization/,
    },
  ])('fails a request that gets $what', async ({ status, type, text, code, detail }) => {
    const { one } = await scene.against(
      onPost(
        (_req, res) =>
          void res.writeHead(status, { 'content-type': type, 'www-authenticate': 'Bearer secret="s3cr3t"' }).end(text),
      ),
    )
    const failure = await one.recorder.failure(one.request('x'))
    expect(failure.code).toBe(code)
    expect(failure.detail).toMatch(detail)
    expect(failure.detail.length).toBeLessThan(300)
    expect(failure.detail).not.toContain('s3cr3t')
  })

  it('names a server that cannot be reached without its secrets', async () => {
    const gone = await serve(() => undefined)
    await gone.close()
    const one = scene.client(`${gone.origin.replace('//', '//user:passw0rd@')}/mcp?key=topsecret`)
    await one.open()
    const failure = await one.recorder.failure(one.request('initialize'))
    expect(failure).toMatchObject({ code: 'UPSTREAM_CONNECT', detail: `cannot reach ${gone.origin} (ECONNREFUSED)` })
  })

  it('sends its headers and credentials, and hides them where the server shows them', async () => {
    const server = await scene.started(
      serve(
        (req, res) =>
          void res.writeHead(400).end(`Bad ${req.url} ${req.headers['authorization']} ${req.headers['x-key']} topsecret/é`),
      ),
    )
    const url = `${server.url.replace('//', '//user:passw0rd@')}?key=topsecret%2F%C3%A9`
    const one = scene.client(url, { headers: { 'X-Key': 'k-12345', Accept: 'text/plain' } })
    await one.open()
    const { detail } = await one.recorder.failure(one.request('x'))
    expect(detail).toContain('HTTP 400')
    expect(detail).not.toMatch(/topsecret|k-12345|passw0rd/)
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('user:passw0rd').toString('base64')}`,
      'x-key': 'k-12345',
      accept: 'application/json, text/event-stream',
      'user-agent': 'mcp-sluice',
    })
  })

  it('fails what is in flight when the connection breaks, and reaches the server again', async () => {
    const { server, one } = await scene.against(
      onPost((_req, res, body) => {
        if (body.includes('wait')) return
        if (body.includes('half')) {
          res.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
          res.write('{"jsonrpc"', () => res.destroy())
        } else json(res, result(idOf(body)))
      }),
    )
    expect(await one.recorder.failure(one.request('half'))).toMatchObject({ detail: expect.stringContaining('broke before') })
    const id = one.request('wait')
    await eventually(() => server.seen.some(({ body }) => body.includes('wait')))
    server.cut()
    expect(await one.recorder.failure(id)).toMatchObject({ code: 'UPSTREAM_CONNECT' })
    await eventually(() => server.sockets() === 0)
    await one.call('again')
  })

  it('refuses a URL or a header that can never work', async () => {
    await expect(scene.client('ftp://x/y').open()).rejects.toMatchObject({ code: 'UPSTREAM_CONNECT' })
    await expect(scene.client('not a url').open()).rejects.toMatchObject({ code: 'UPSTREAM_CONNECT' })
    await expect(scene.client('http://127.0.0.1/', { headers: { Authorization: 'a\nb' } }).open()).rejects.toThrow(
      '"Authorization"',
    )
    await expect(scene.client('http://127.0.0.1/').link.open(AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' })
  })
})
