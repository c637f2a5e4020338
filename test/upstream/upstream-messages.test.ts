import { afterEach, describe, expect, it } from 'vitest'
import { requestFrame } from '../../src/protocol/frame.js'
import { ask, failure, toolNames, until, upstreamFactory, wayward } from '../support/upstreams.js'

const { supervise, stopAll } = upstreamFactory()

afterEach(stopAll)

describe('requests', () => {
  it('takes a 20 MB answer, wherever its id stands', async () => {
    for (const args of [[], ['--id-last']]) {
      const { upstream } = supervise(wayward(args))
      await upstream.ready()
      const answer = await ask<{ text: string }>(upstream, 'test/big', { bytes: 20 << 20 })
      expect(answer.result.text).toHaveLength(20 << 20)
    }
  })

  it('fails the request whose answer is above the limit, and only that', async () => {
    const { upstream } = supervise(wayward(), { maxMessageBytes: 100_000 })
    await upstream.ready()
    const other = failure(ask(upstream, 'test/hang'))
    const error = await failure(ask(upstream, 'test/big', { bytes: 200_000 }))
    expect(error.code).toBe('MESSAGE_TOO_LARGE')
    expect(error.detail).toMatch(/sent a message of 2000\d\d bytes, above the limit of 100000/)
    expect((await ask(upstream, 'test/echo', { still: 'here' })).result).toEqual({ still: 'here' })
    await upstream.stop()
    expect((await other).code).toBe('UPSTREAM_STOPPED')
  })

  it('ends a call at its callTimeout and tells the server so', async () => {
    const { upstream } = supervise(wayward([], { callTimeoutMs: 300 }))
    await upstream.ready()
    const error = await failure(ask(upstream, 'test/hang'))
    expect(error.detail).toBe('server "wayward" did not answer within 300 ms (callTimeout)')
    const { result, id } = await ask(upstream, 'test/cancelled')
    expect(result).toEqual({ answers: [id - 1] })
  })

  it('forgets a cancelled request and tells the server so', async () => {
    const { upstream } = supervise(wayward())
    await upstream.ready()
    const handler = { answer: () => expect.unreachable(), fail: () => expect.unreachable() }
    const id = upstream.request((own) => requestFrame(own, 'test/hang'), handler)
    upstream.cancel(id, 'changed my mind')
    expect((await ask(upstream, 'test/cancelled')).result).toEqual({ answers: [id] })
  })

  it('passes errors on as they are', async () => {
    const { upstream } = supervise(wayward())
    await upstream.ready()
    expect(await ask(upstream, 'test/nothing')).toMatchObject({ error: { code: -32601, message: 'no test/nothing' } })
  })
})

describe('messages of the server', () => {
  it('answers a ping whose id is 0, small or large', async () => {
    const { upstream, listener } = supervise(wayward())
    await upstream.ready()
    await ask(upstream, 'test/askBack', { method: 'ping' })
    await ask(upstream, 'test/askBack', { method: 'ping', pad: 100_000 })
    expect((await ask(upstream, 'test/answers')).result).toEqual({
      answers: [
        { jsonrpc: '2.0', id: 0, result: {} },
        { jsonrpc: '2.0', id: 0, result: {} },
      ],
    })
    expect(listener.requests).toEqual([])
  })

  it('hands on a large request without its params', async () => {
    const { upstream, listener } = supervise(wayward())
    await upstream.ready()
    await ask(upstream, 'test/askBack', { method: 'roots/list' })
    await ask(upstream, 'test/askBack', { method: 'sampling/createMessage', pad: 100_000 })
    await until(() => listener.requests.length === 2)
    expect(listener.requests[0]).toMatchObject({ method: 'roots/list', id: 0, params: { pad: '' } })
    expect(listener.requests[1]).toMatchObject({ method: 'sampling/createMessage', id: 0, params: undefined })
    expect(listener.requests[1]?.bytes).toBeGreaterThan(100_000)
  })

  it('splits a batch', async () => {
    const { upstream, listener } = supervise(wayward())
    await upstream.ready()
    expect((await ask(upstream, 'test/batch')).result).toEqual({})
    expect(listener.notifications).toEqual(['notifications/message'])
  })

  it('reads a list again when it changed, not once for each notification', async () => {
    const { upstream, listener } = supervise(wayward())
    await upstream.ready()
    listener.lists.length = 0
    await ask(upstream, 'test/addTool', { name: 'fresh' })
    await until(() => listener.lists.length > 0)
    expect(toolNames(upstream)).toEqual(['echo', 'constructor', 'fresh'])
    await ask(upstream, 'test/echo', {})
    expect(listener.lists).toEqual(['tools'])
    expect(listener.notifications).toEqual([])
  })
})
