import { afterEach, describe, expect, it } from 'vitest'
import { type Answer, idOf, json, result, serve, type TestServer } from '../fixtures/http-servers.js'
import { ask, failure, toolNames, until, upstreamFactory, wayward } from '../support/upstreams.js'

const { supervise, stopAll } = upstreamFactory()
const servers: TestServer[] = []

afterEach(async () => {
  await stopAll()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

/** A Streamable HTTP server with one tool a session, which can be made to forget its session. */
async function forgetful(more: { hang?: boolean } = {}) {
  let session = 0
  let known = true
  const initialize: Answer = (_req, res, body) => {
    session++
    known = true
    const facts = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} }
    json(res, result(idOf(body), facts), { 'mcp-session-id': `s${session}` })
  }
  const server = await serve((req, res, body) => {
    if (req.method === 'DELETE') res.writeHead(200).end()
    else if (req.method !== 'POST') res.writeHead(405).end()
    else if (body.includes('"method":"initialize"')) return initialize(req, res, body)
    else if (!known || req.headers['mcp-session-id'] !== `s${session}`) res.writeHead(404).end()
    else if (idOf(body) === undefined) res.writeHead(202).end()
    else if (body.includes('tools/list')) json(res, result(idOf(body), { tools: [{ name: `tool${session}` }] }))
    else if (!more.hang) json(res, result(idOf(body), { session }))
    return undefined
  })
  servers.push(server)
  const wire = { kind: 'http', url: server.url, headers: {} } as const
  const forget = () => {
    known = false
  }
  return { server, forget, ...supervise(wayward([], { name: 'remote', wire })) }
}

describe('an upstream over HTTP', () => {
  it('initialises again when the server forgot the session, and the calls go on', async () => {
    const { upstream, listener, forget } = await forgetful()
    await upstream.ready()
    expect(toolNames(upstream)).toEqual(['tool1'])
    forget()
    const answers = await Promise.all([1, 2, 3].map(() => ask(upstream, 'x')))
    expect(answers.map((answer) => answer.result)).toEqual(Array(3).fill({ session: 2 }))
    expect(listener.states).toEqual(['starting', 'ready', 'starting', 'ready'])
    await until(() => toolNames(upstream)[0] === 'tool2')
    forget()
    expect((await ask(upstream, 'x')).result).toEqual({ session: 3 })
    expect(upstream.restarts).toBe(2)
  })

  it('is down, and says why, while nobody listens there', async () => {
    const wire = { kind: 'http', url: 'http://127.0.0.1:1/mcp', headers: {} } as const
    const { upstream } = supervise(wayward([], { name: 'remote', wire }))
    const error = await failure(upstream.ready())
    expect(error.code).toBe('UPSTREAM_CONNECT')
    expect(error.detail).toMatch(/^server "remote": .*127\.0\.0\.1:1/)
  })

  it('fails what is in flight when it is stopped', async () => {
    const { upstream, server } = await forgetful({ hang: true })
    await upstream.ready()
    const inFlight = failure(ask(upstream, 'x'))
    await until(() => server.seen.some(({ body }) => body.includes('"method":"x"')))
    await upstream.stop()
    expect((await inFlight).code).toBe('UPSTREAM_STOPPED')
  })
})
