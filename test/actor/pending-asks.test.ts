import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createPendingAsks } from '../../src/actor/pending-asks.js'
import { SluiceError } from '../../src/base/errors.js'

describe('pending asks', () => {
  it('hold an ask until it settles, in whatever way', async () => {
    const asks = createPendingAsks()
    const controller = new AbortController()
    const settling = Promise.allSettled([
      asks.settle('a', {}, async () => 1),
      asks.settle('b', {}, async () => {
        throw new Error('foreign')
      }),
      asks.settle('c', { deadlineMs: 5 }, () => new Promise(() => undefined)),
      asks.settle('d', { signal: controller.signal, deadlineMs: 60_000 }, () => new Promise(() => undefined)),
    ])
    expect(asks.size).toBe(4)
    controller.abort()
    const outcomes = await settling
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code))).toEqual([
      1,
      'ACTOR_FAILED',
      'ASK_TIMEOUT',
      'ABORTED',
    ])
    expect(asks.size).toBe(0)
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('reject all at once, and ignore answers that come after that', async () => {
    const asks = createPendingAsks()
    const answer = deferred()
    const pending = [asks.settle('a', {}, () => answer.promise), asks.settle('b', { deadlineMs: 60_000 }, () => answer.promise)]
    asks.failAll(new SluiceError('ACTOR_DIED', 'gone'))
    answer.resolve(1)
    for (const ask of pending) await expect(ask).rejects.toMatchObject({ code: 'ACTOR_DIED', detail: 'gone' })
    expect(asks.size).toBe(0)
  })
})

function deferred(): { promise: Promise<number>; resolve: (value: number) => void } {
  let resolve: (value: number) => void = () => undefined
  const promise = new Promise<number>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
