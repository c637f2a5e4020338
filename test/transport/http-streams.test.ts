/** Streams of events over HTTP: where a message goes, what is resumed, what a broken or slow connection costs. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EventBuffer } from '../../src/transport/event-buffer.js'
import type { EchoSession } from '../support/echo-host.js'
import { call, type HttpGateway, message, RawClient, startGateway } from '../support/http-gateway.js'
import { type Event, take } from '../support/raw-http.js'

let gateway: HttpGateway

beforeAll(async () => {
  gateway = await startGateway()
})

afterAll(() => gateway.close())

async function open(revision?: string): Promise<{ client: RawClient; session: EchoSession }> {
  const client = await RawClient.open(gateway.url, revision)
  return { client, session: gateway.host.last }
}

/** What notifications carry, and the ids of answers. */
function contents(events: readonly Event[]): unknown[] {
  return events
    .filter(({ data }) => data !== '')
    .map(({ data }) => {
      const { id, params } = JSON.parse(data) as { id?: number; params?: { data?: unknown } }
      return params?.data ?? id
    })
}

async function rest(events: AsyncIterable<Event>): Promise<Event[]> {
  const all: Event[] = []
  for await (const event of events) all.push(event)
  return all
}

/** Until `condition` holds. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2))
}

describe('the stream of a request', () => {
  it('begins with an event without data, carries what belongs to it, then the answer, and ends', async () => {
    const { client, session } = await open()
    const { events } = await client.stream(call(2, 'hold'))
    session.notify('a', '2')
    session.notify('elsewhere')
    session.finish('2', {})
    const all = await rest(events)
    expect(all[0]?.data).toBe('')
    expect(contents(all)).toEqual(['a', 2])
    expect(new Set(all.map(({ id }) => id)).size).toBe(3)
  })

  it('begins with the first message for clients before 2025-11-25', async () => {
    const { client, session } = await open('2025-06-18')
    const { events } = await client.stream(call(2, 'hold'))
    session.finish('2', {})
    const all = await rest(events)
    expect(contents(all)).toEqual([2])
    expect(all).toHaveLength(1)
  })

  it('is used for clients that take nothing but events, however quick the answer', async () => {
    const { client } = await open()
    const { events } = await client.stream(message(2, 'ping'), { accept: 'text/event-stream' })
    expect(contents(await rest(events))).toEqual([2])
  })

  it('is used for clients that name events first', async () => {
    const { client } = await open()
    const { events } = await client.stream(message(2, 'ping'), { accept: 'text/event-stream, application/json' })
    expect(contents(await rest(events))).toEqual([2])
  })

  it('is not used for clients that take nothing but JSON: what belongs to their request goes to the GET stream', async () => {
    const { client, session } = await open()
    const general = await client.listen()
    const answer = client.post(call(2, 'hold'), { accept: 'application/json' })
    await until(() => session.calls.has('2'))
    session.notify('a', '2')
    const heard = await take(general.events, 2)
    session.finish('2', { ok: true })
    expect(contents(heard)).toEqual(['a'])
    expect(JSON.parse((await answer).text)).toMatchObject({ id: 2, result: { ok: true } })
    general.breakOff()
  })

  it('carries the answers of a batch one by one', async () => {
    const { client, session } = await open('2025-03-26')
    const { events } = await client.stream(`[${call(2, 'hold')},${message(3, 'ping')},${call(4, 'hold')}]`)
    session.finish('4', {})
    session.finish('2', {})
    expect(contents(await rest(events))).toEqual([3, 4, 2])
  })

  it('ends without an answer when the client cancels, and resuming it says that nothing follows', async () => {
    const { client } = await open()
    const { events } = await client.stream(call(2, 'hold'))
    const cancel = await client.post(message(undefined, 'notifications/cancelled', { requestId: 2 }))
    expect(cancel.status).toBe(202)
    const all = await rest(events)
    expect(contents(all)).toEqual([])
    expect((await client.get({ 'last-event-id': all[0]?.id ?? '' })).status).toBe(204)
  })

  it('resumes in mid-call without loss and without doubles', async () => {
    const { client, session } = await open()
    const first = await client.stream(call(2, 'hold'))
    for (const step of [1, 2, 3]) session.notify(step, '2')
    const seen = await take(first.events, 3)
    first.breakOff()
    session.notify(4, '2')
    const second = await client.listen(seen.at(-1)?.id)
    session.notify(5, '2')
    session.finish('2', {})
    const later = await rest(second.events)
    expect(contents([...seen, ...later])).toEqual([1, 2, 3, 4, 5, 2])
    expect((await client.get({ 'last-event-id': later.at(-1)?.id ?? '' })).status).toBe(204)
    const again = await client.listen(seen.at(-1)?.id)
    expect(contents(await rest(again.events))).toEqual([3, 4, 5, 2])
  })

  it('is resumed by the client of the SDK when its connection breaks', async () => {
    let broken: AbortController | undefined
    const transport = new StreamableHTTPClientTransport(new URL(gateway.url), {
      reconnectionOptions: {
        initialReconnectionDelay: 5,
        maxReconnectionDelay: 5,
        reconnectionDelayGrowFactor: 1,
        maxRetries: 5,
      },
      fetch: (url, init) => {
        if (!String(init?.body).includes('"hold"')) return fetch(url, init)
        broken = new AbortController()
        return fetch(url, { ...init, signal: broken.signal })
      },
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    const session = gateway.host.last
    const answer = client.callTool({ name: 'hold', arguments: {} })
    await until(() => session.calls.size > 0)
    const [key = ''] = session.calls.keys()
    session.notify('a', key)
    await new Promise((resolve) => setTimeout(resolve, 50))
    broken?.abort()
    session.finish(key, { content: [{ type: 'text', text: 'late' }] })
    expect(await answer).toEqual({ content: [{ type: 'text', text: 'late' }] })
    await client.close()
  })

  it('keeps the call when the connection breaks, and drops an answer that nobody can ask for', async () => {
    const { client, session } = await open('2025-06-18')
    const { breakOff, response } = await client.stream(call(2, 'slow', { steps: 0, everyMs: 200 }))
    response.on('error', () => undefined)
    breakOff()
    expect(session.calls.has('2')).toBe(true)
    await until(() => !session.calls.has('2'))
    expect((await client.post(message(3, 'ping'))).status).toBe(200)
  })
})

describe('the GET stream', () => {
  it('carries what came before it was opened', async () => {
    const { client, session } = await open()
    session.notify('early')
    const { events, breakOff } = await client.listen()
    expect(contents(await take(events, 2))).toEqual(['early'])
    breakOff()
  })

  it('is replaced by a second one, which repeats nothing', async () => {
    const { client, session } = await open()
    const first = await client.listen()
    session.notify('a')
    expect(contents(await take(first.events, 2))).toEqual(['a'])
    const second = await client.listen()
    expect(await rest(first.events)).toEqual([])
    session.notify('b')
    expect(contents(await take(second.events, 2))).toEqual(['b'])
    second.breakOff()
  })

  it('resumes behind the event the client names', async () => {
    const { client, session } = await open()
    const first = await client.listen()
    for (const data of ['a', 'b', 'c']) session.notify(data)
    const seen = await take(first.events, 4)
    first.breakOff()
    session.notify('d')
    const second = await client.listen(seen[1]?.id)
    expect(contents(await take(second.events, 3))).toEqual(['b', 'c', 'd'])
    second.breakOff()
  })

  it.each([['nonsense'], ['abc-1'], ['']])('answers 400 to the Last-Event-ID %j', async (id) => {
    const { client } = await open()
    const { status, text } = await client.get({ 'last-event-id': id })
    expect([status, text]).toEqual([400, expect.stringContaining('cannot be resumed')])
  })

  it('answers 400 when events behind the named one are gone: dropped as the oldest, or too large to keep', async () => {
    const { client, session } = await open()
    const first = await client.listen()
    session.notify('a')
    const [, a] = await take(first.events, 2)
    for (let i = 0; i < 5; i++) session.notify('x'.repeat(1 << 20))
    const many = await take(first.events, 5)
    const gone = await client.get({ 'last-event-id': a?.id ?? '' })
    expect([gone.status, gone.text]).toEqual([400, expect.stringContaining('no longer kept')])
    session.notify('y'.repeat(5 << 20))
    const [large] = await take(first.events, 1)
    expect((await client.get({ 'last-event-id': many.at(-1)?.id ?? '' })).status).toBe(400)
    session.notify('z')
    await take(first.events, 1)
    const resumed = await client.listen(large?.id)
    expect(contents(await take(resumed.events, 1))).toEqual(['z'])
    resumed.breakOff()
  })

  it('is dropped when its reader falls 64 MiB behind, and can be resumed', async () => {
    const { client, session } = await open()
    const { response } = await client.listen()
    const ended = new Promise((resolve) => response.on('close', resolve).on('error', resolve))
    for (let i = 0; i < 40; i++) session.notify('x'.repeat(3 << 20))
    response.resume()
    await ended
    session.notify('after')
    const again = await client.listen()
    let last: Event | undefined
    while (!last?.data.includes('"after"')) [last] = await take(again.events, 1)
    again.breakOff()
  })
})

describe('an idle session', () => {
  it('ends, but not while a stream is open or a call in flight', async () => {
    const quick = await startGateway({ sessionIdleMs: 500 })
    const idle = await RawClient.open(quick.url)
    const [first] = quick.host.sessions
    const listening = await RawClient.open(quick.url)
    const stream = await listening.listen()
    const calling = await RawClient.open(quick.url)
    const answer = calling.stream(call(2, 'slow', { steps: 0, everyMs: 2000 }))
    await until(() => first?.closed === true)
    expect((await idle.post(message(2, 'ping'))).status).toBe(404)
    expect(contents(await rest((await answer).events))).toEqual([2])
    expect(quick.host.sessions.slice(1).map(({ closed }) => closed)).toEqual([false, false])
    stream.breakOff()
    await until(() => quick.host.sessions.every(({ closed }) => closed))
    await quick.close()
  })
})

describe('EventBuffer', () => {
  it('keeps the newest events within its limit and knows what it lost', () => {
    const sizes = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 400 })), { maxLength: 60 })
    fc.assert(
      fc.property(sizes, (sent) => {
        const buffer = new EventBuffer<{ id: string; lost: number }>(1500)
        const streams = ['a', 'b', 'c'].map((id) => ({ id, lost: 0 }))
        const counts = [0, 0, 0]
        for (const [which, size] of sent) {
          const stream = streams[which]
          if (stream) buffer.add(stream, ++counts[which]!, new Uint8Array(size).fill(counts[which]!))
        }
        let kept = 0
        streams.forEach((stream, which) => {
          const found = buffer.after(stream, stream.lost)
          expect(found).toHaveLength(counts[which]! - stream.lost)
          kept += found.reduce((sum, bytes) => sum + bytes.length + 128, 0)
        })
        expect(kept).toBeLessThanOrEqual(1500)
      }),
    )
  })
})
