import { afterEach, describe, expect, it } from 'vitest'
import type { Upstream } from '../../src/upstream/upstream.js'
import { type Answer, idOf, json, result, serve, type TestServer } from '../fixtures/http-servers.js'
import { ask, failure, toolNames, until, upstreamFactory, wayward } from '../support/upstreams.js'

const { supervise, stopAll } = upstreamFactory()
const servers: TestServer[] = []

afterEach(async () => {
  await stopAll()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

/** A Streamable HTTP server with one tool a session, which can be made to forget its session. */
async function forgetful(more: { hang?: boolean; sessions?: boolean } = {}) {
  let session = 0
  let known = true
  const initialize: Answer = (_req, res, body) => {
    session++
    known = true
    const facts = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} }
    json(res, result(idOf(body), facts), more.sessions === false ? {} : { 'mcp-session-id': `s${session}` })
  }
  const isKnown = (id: unknown) => more.sessions === false || (known && id === `s${session}`)
  const answer: Answer = (req, res, body) => {
    if (req.method === 'DELETE') res.writeHead(200).end()
    else if (req.method !== 'POST') res.writeHead(405).end()
    else if (body.includes('"method":"initialize"')) return initialize(req, res, body)
    else if (!isKnown(req.headers['mcp-session-id'])) res.writeHead(404).end()
    else if (body.includes('refuse')) res.writeHead(500).end('not that')
    else if (idOf(body) === undefined) res.writeHead(202).end()
    else if (body.includes('tools/list')) json(res, result(idOf(body), { tools: [{ name: `tool${session}` }] }))
    else if (!more.hang) json(res, result(idOf(body), { session }))
    return undefined
  }
  const server = await serve(answer)
  servers.push(server)
  const wire = { kind: 'http', url: server.url, headers: {} } as const
  const forget = () => {
    known = false
  }
  /** Another process at the same address, which knows no session. */
  const reopen = async () => {
    forget()
    servers.push(await serve(answer, '/mcp', Number(new URL(server.url).port)))
  }
  return { server, forget, reopen, ...supervise(wayward([], { name: 'remote', wire })) }
}

/** Asks until no connection is left of those that its server has closed. */
async function refused(upstream: Upstream): Promise<void> {
  while (!(await failure(ask(upstream, 'x'))).detail.includes('ECONNREFUSED')) expect(upstream.state).toBe('unreachable')
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

  it('is unreachable while its server is away, and ready again in a new session without being called', async () => {
    const { upstream, listener, server, reopen } = await forgetful()
    await upstream.ready()
    await server.close()
    expect((await failure(ask(upstream, 'x'))).code).toBe('UPSTREAM_CONNECT')
    expect(upstream.state).toBe('unreachable')
    expect((await failure(ask(upstream, 'x'))).code).toBe('UPSTREAM_CONNECT')
    await reopen()
    await until(() => toolNames(upstream)[0] === 'tool2')
    expect(listener.states).toEqual(['starting', 'ready', 'unreachable', 'starting', 'ready'])
    expect(upstream.restarts).toBe(1)
    expect(upstream.lastError?.code).toBe('UPSTREAM_CONNECT')
  })

  it.each([true, false])(
    'replays the call that finds its server back and itself forgotten (sessions: %s)',
    async (sessions) => {
      const { upstream, listener, server, reopen } = await forgetful({ sessions })
      await upstream.ready()
      await server.close()
      await refused(upstream)
      await reopen()
      await upstream.ready()
      expect((await ask(upstream, 'x')).result).toEqual({ session: sessions ? 2 : 1 })
      const renewed = sessions ? ['starting', 'ready'] : ['ready']
      expect(listener.states).toEqual(['starting', 'ready', 'unreachable', ...renewed])
    },
  )

  it('stays ready when its server refuses one request', async () => {
    const { upstream, listener } = await forgetful()
    await upstream.ready()
    expect((await failure(ask(upstream, 'refuse'))).code).toBe('UPSTREAM_REFUSED')
    expect(upstream.lastError?.detail).toContain('HTTP 500: not that')
    expect(listener.states).toEqual(['starting', 'ready'])
  })

  it('stops asking an unreachable server when it is stopped', async () => {
    const { upstream, listener, server } = await forgetful()
    await upstream.ready()
    await server.close()
    await failure(ask(upstream, 'x'))
    await upstream.stop()
    expect(listener.states.slice(2)).toEqual(['unreachable', 'stopped'])
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
