import { tmpdir } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import type { SessionActor, SessionFacts } from '../../src/actor/session-tenant.js'
import { createSessionThreads, type SessionThreads } from '../../src/actor/session-threads.js'
import { createLogger, silentLogger } from '../../src/base/logger.js'

const url = new URL('../../dist/test/fixtures/actor-session-worker.js', import.meta.url)
const FACTS: SessionFacts = { maxIndexBytes: 1_000_000, names: { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' } }

describe('session threads', () => {
  const started: SessionThreads[] = []
  const start = (maxWorkers = 8, logger = silentLogger) => {
    const threads = createSessionThreads({ url, maxWorkers, hibernateAfterMs: 60_000, folder: tmpdir(), logger })
    started.push(threads)
    return threads
  }
  afterEach(async () => {
    await Promise.all(started.splice(0).map((threads) => threads.stop()))
  })

  it('start a thread at the first ask and end it with its session', async () => {
    const threads = start()
    const actor = threads.actorOf('a', FACTS)
    expect(threads.threadCount).toBe(0)
    await threadOf(actor)
    expect(threads.threadCount).toBe(1)
    await actor.close()
    expect(threads.threadCount).toBe(0)
    await expect(threadOf(actor)).rejects.toMatchObject({ code: 'ACTOR_STOPPED' })
  })

  it('give the same actor for the same session, and a new one after it was closed', async () => {
    const threads = start()
    const actor = threads.actorOf('a', FACTS)
    expect(threads.actorOf('a', FACTS)).toBe(actor)
    await actor.close()
    expect(threads.actorOf('a', FACTS)).not.toBe(actor)
  })

  it('can be warmed before the first ask', async () => {
    const threads = start()
    const actor = threads.actorOf('a', FACTS)
    actor.warm()
    await new Promise((resolve) => setImmediate(resolve))
    expect(threads.threadCount).toBe(1)
    await threadOf(actor)
    expect(threads.threadCount).toBe(1)
  })

  it('close a session that never asked without starting a thread', async () => {
    const threads = start()
    const actor = threads.actorOf('a', FACTS)
    await Promise.all([actor.close(), actor.close()])
    expect(threads.threadCount).toBe(0)
  })

  it('move frames to the thread and back', async () => {
    const frame = new Uint8Array(100_000).fill(32)
    const args = { frame, kind: 'tool', label: 'x:1', thresholdBytes: 0, idJson: '1' } as const
    const answer = await start()
      .actorOf('a', FACTS)
      .ask('ingest', args, { transfer: [frame.buffer] })
    expect(frame.byteLength).toBe(0)
    expect(answer).toMatchObject({ kind: 'pass', frame: { byteLength: 100_000 } })
  })

  it('give each session a thread of its own up to maxWorkers, then share the least loaded one', async () => {
    const threads = start(2)
    const actors = ['a', 'b', 'c', 'd'].map((session) => threads.actorOf(session, FACTS))
    const homes: string[] = []
    for (const actor of actors) homes.push(await threadOf(actor))
    expect(new Set(homes.slice(0, 2)).size).toBe(2)
    expect(homes.slice(2).sort()).toEqual(homes.slice(0, 2).sort())
    expect(threads.threadCount).toBe(2)
    await actors[0]!.close()
    expect(await threadOf(actors[2]!)).toBe(homes[2])
    expect(threads.threadCount).toBe(2)
    await actors[2]!.close()
    expect(threads.threadCount).toBe(1)
  })

  it('reject what is pending with ACTOR_DIED when a thread dies, and go on with the lost labels', async () => {
    const threads = start()
    const [actor, other] = [threads.actorOf('a', FACTS), threads.actorOf('b', FACTS)]
    const [home, otherHome] = [await threadOf(actor), await threadOf(other)]
    actor.remember('x:1')
    actor.remember('x:2')
    const pending = [search(actor, 'q', 60_000), search(actor, 'r', 0)]
    const settled = Promise.allSettled(pending)
    await actor.kill()
    expect((await settled).map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual([
      'ACTOR_DIED',
      'ACTOR_DIED',
    ])
    expect(await read(actor, 'x:1')).toEqual({ text: '["x:1","x:2"]', isError: true })
    expect(await threadOf(actor)).not.toBe(home)
    expect(await threadOf(other)).toBe(otherHome)
    expect((await read(other, 'x:1')).isError).toBe(false)
  })

  it('bring back every session of a thread that dies', async () => {
    const threads = start(1)
    const [a, b] = [threads.actorOf('a', FACTS), threads.actorOf('b', FACTS)]
    expect(await threadOf(a)).toBe(await threadOf(b))
    a.remember('a:1')
    b.remember('b:1')
    await expect(search(a, 'die', 0)).rejects.toMatchObject({ code: 'ACTOR_DIED' })
    expect((await read(a, 'a:1')).text).toBe('["a:1"]')
    expect((await read(b, 'b:1')).text).toBe('["b:1"]')
    expect(threads.threadCount).toBe(1)
  })

  it('keep the newest 10,000 labels', async () => {
    const actor = start().actorOf('a', FACTS)
    for (let run = 1; run <= 10_001; run++) actor.remember(`x:${run}`)
    expect((await read(actor, 'x:1')).isError).toBe(false)
    expect((await read(actor, 'x:2')).isError).toBe(true)
  })

  it('serve a session again however often its thread dies, and log each death', async () => {
    const lines: string[] = []
    const logger = createLogger({ level: 'error', json: true, write: (line) => lines.push(line) })
    const actor = start(8, logger).actorOf('a', FACTS)
    for (let i = 0; i < 3; i++) await expect(search(actor, 'die', 0)).rejects.toMatchObject({ code: 'ACTOR_DIED' })
    await threadOf(actor)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      Array.from({ length: 3 }, () => ({
        event: 'session-thread.died',
        cause: expect.stringContaining('code 9'),
        sessions: 1,
      })),
    )
  })

  it('count the back-off in the deadline of an ask', async () => {
    const actor = start().actorOf('a', FACTS)
    for (let i = 0; i < 2; i++) await expect(search(actor, 'die', 0)).rejects.toMatchObject({ code: 'ACTOR_DIED' })
    await expect(search(actor, 'q', 0, 1)).rejects.toMatchObject({ code: 'ASK_TIMEOUT' })
    await threadOf(actor)
  })

  it('close a session that waits for its back-off', async () => {
    const threads = start()
    const actor = threads.actorOf('a', FACTS)
    for (let i = 0; i < 4; i++) await expect(search(actor, 'die', 0)).rejects.toMatchObject({ code: 'ACTOR_DIED' })
    const waiting = threadOf(actor)
    await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'ACTOR_STOPPED' }), actor.close()])
    expect(threads.threadCount).toBe(0)
  })

  it('reject with the reason when a session cannot be opened, and keep no thread for it', async () => {
    const threads = start()
    const actor = threads.actorOf('a', { ...FACTS, names: { search: 'refuse', read: 'r', call: 'IndexCall' } })
    await expect(threadOf(actor)).rejects.toMatchObject({ code: 'INTERNAL', detail: 'no room' })
    expect(threads.threadCount).toBe(0)
  })

  it('reject pending asks with ACTOR_STOPPED when their session is closed, and leave its neighbours alone', async () => {
    const threads = start(1)
    const [a, b] = [threads.actorOf('a', FACTS), threads.actorOf('b', FACTS)]
    const home = await threadOf(b)
    const pending = search(a, 'q', 20)
    const closing = a.close()
    await expect(pending).rejects.toMatchObject({ code: 'ACTOR_STOPPED' })
    await closing
    expect(await threadOf(b)).toBe(home)
  })

  it('stop all sessions, and start none afterwards', async () => {
    const threads = start()
    const actors = ['a', 'b'].map((session) => threads.actorOf(session, FACTS))
    const pending = Promise.allSettled(actors.map((actor) => search(actor, 'q', 60_000)))
    await Promise.all([threads.stop(), threads.stop()])
    for (const outcome of await pending) expect(outcome).toMatchObject({ reason: { code: 'ACTOR_STOPPED' } })
    await expect(threadOf(threads.actorOf('c', FACTS))).rejects.toMatchObject({ code: 'ACTOR_STOPPED' })
    expect(threads.threadCount).toBe(0)
  })
})

function search(actor: SessionActor, query: string, takesMs: number, deadlineMs?: number) {
  const args = { queries: [query], limit: takesMs, searchWaitMs: 0 }
  return actor.ask('search', args, deadlineMs === undefined ? {} : { deadlineMs })
}

function read(actor: SessionActor, label: string) {
  return actor.ask('read', { label, offset: '1', limit: 1, maxBytes: 1_000 })
}

async function threadOf(actor: SessionActor): Promise<string> {
  return (await search(actor, 'q', 0)).text
}
