/** What every actor must do, wherever it runs. */
import { getEventListeners, setMaxListeners } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import type { Actor } from '../../src/actor/actor.js'
import type { TrialApi } from '../fixtures/actor-api.js'

/** @param open an actor of the trial API whose mailbox holds `limit` asks, by default more than the tests send */
export function actorContract(name: string, open: (limit?: number) => Actor<TrialApi>): void {
  describe(`an actor (${name})`, () => {
    const opened: Actor<TrialApi>[] = []
    const start = (limit?: number) => {
      const actor = open(limit)
      opened.push(actor)
      return actor
    }
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((actor) => actor.stop()))
    })

    it('answers with plain data', async () => {
      const value = { text: 'žluťoučký 🐎', list: [1, null, { deep: true }], map: new Map([['constructor', 1]]) }
      expect(await start().ask('echo', { value })).toEqual({ value })
    })

    it('answers copies', async () => {
      const value = { n: 1 }
      const answer = await start().ask('echo', { value })
      expect(answer.value).not.toBe(value)
    })

    it('keeps the code and detail of an error', async () => {
      const failing = start().ask('fail', { code: 'LABEL_UNKNOWN', detail: 'no "x:1"' })
      await expect(failing).rejects.toMatchObject({ name: 'SluiceError', code: 'LABEL_UNKNOWN', detail: 'no "x:1"' })
    })

    it('turns foreign errors into ACTOR_FAILED with their message', async () => {
      const actor = start()
      await expect(actor.ask('throwForeign', { message: 'out of range' })).rejects.toMatchObject({
        code: 'ACTOR_FAILED',
        detail: 'out of range',
      })
      await expect(actor.ask('throwText', { text: 'just text' })).rejects.toMatchObject({
        code: 'ACTOR_FAILED',
        detail: 'just text',
      })
    })

    it('rejects arguments and answers that cannot be sent, and goes on', async () => {
      const actor = start()
      await expect(actor.ask('echo', { value: () => 1 })).rejects.toMatchObject({ code: 'ACTOR_FAILED' })
      await expect(actor.ask('answerFunction', {})).rejects.toMatchObject({ code: 'ACTOR_FAILED' })
      expect(await actor.ask('echo', { value: 1 })).toEqual({ value: 1 })
    })

    it('rejects a verb that the API does not have', async () => {
      const unknown = start().ask('nonesuch' as 'never', {})
      await expect(unknown).rejects.toMatchObject({ code: 'ACTOR_FAILED', detail: expect.stringContaining('nonesuch') })
    })

    it('rejects with ASK_TIMEOUT at the deadline', async () => {
      const late = start().ask('never', {}, { deadlineMs: 20 })
      await expect(late).rejects.toMatchObject({ code: 'ASK_TIMEOUT', detail: 'no answer to "never" within 20 ms' })
    })

    it('takes a deadline longer than a timer can be', async () => {
      expect(await start().ask('turn', { waitMs: 20 }, { deadlineMs: Number.POSITIVE_INFINITY })).toBe(1)
    })

    it('rejects with ABORTED when the signal fires', async () => {
      const controller = new AbortController()
      const pending = start().ask('never', {}, { signal: controller.signal })
      setTimeout(() => controller.abort(), 5)
      await expect(pending).rejects.toMatchObject({ code: 'ABORTED' })
      expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    })

    it('does not ask at all when the signal has fired already', async () => {
      const actor = start()
      await expect(actor.ask('turn', { waitMs: 0 }, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' })
      expect(await actor.ask('turn', { waitMs: 0 })).toBe(1)
    })

    it('serves one ask at a time, in order', async () => {
      const actor = start()
      const turns = [30, 0, 10, 0, 1].map((waitMs) => actor.ask('turn', { waitMs }))
      expect(await Promise.all(turns)).toEqual([1, 2, 3, 4, 5])
    })

    it('serves the next ask after one that failed', async () => {
      const actor = start()
      const failing = actor.ask('throwForeign', { message: 'x' })
      const next = actor.ask('turn', { waitMs: 0 })
      await expect(failing).rejects.toMatchObject({ code: 'ACTOR_FAILED' })
      expect(await next).toBe(1)
    })

    it('rejects with MAILBOX_FULL beyond the bound of its mailbox, and takes asks again when there is room', async () => {
      const actor = start(3)
      const asks = Array.from({ length: 5 }, () => actor.ask('turn', { waitMs: 5 }))
      const outcomes = await Promise.allSettled(asks)
      expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code))).toEqual([
        1,
        2,
        3,
        'MAILBOX_FULL',
        'MAILBOX_FULL',
      ])
      expect(await actor.ask('turn', { waitMs: 0 })).toBe(4)
    })

    it('moves the buffers that are listed, and gives owned bytes back whole', async () => {
      const bytes = new Uint8Array(100_000).fill(5)
      const answer = await start().ask('bytes', { bytes }, { transfer: [bytes.buffer] })
      expect(bytes.byteLength).toBe(0)
      expect(answer).toMatchObject({ length: 100_000, ownBuffer: true })
      expect(answer.bytes.every((byte) => byte === 5)).toBe(true)
    })

    it('copies the buffers that are not listed', async () => {
      const bytes = new Uint8Array(10).fill(5)
      await start().ask('bytes', { bytes })
      expect(bytes).toEqual(new Uint8Array(10).fill(5))
    })

    it('answers part of a buffer without the rest of it, and leaves the buffer to the actor', async () => {
      const actor = start()
      const { bytes } = await actor.ask('sliver', {})
      expect(bytes).toEqual(new Uint8Array(5).fill(7))
      expect(bytes.buffer.byteLength).toBe(5)
      expect(await actor.ask('kept', {})).toBe(1_000_000)
    })

    it('rejects what is pending with ACTOR_STOPPED when it is stopped, and all asks after that', async () => {
      const actor = start()
      const pending = [actor.ask('never', {}), actor.ask('echo', { value: 1 })]
      expect(actor.alive).toBe(true)
      const stopping = actor.stop()
      for (const ask of pending) await expect(ask).rejects.toMatchObject({ code: 'ACTOR_STOPPED' })
      await stopping
      expect(actor.alive).toBe(false)
      await expect(actor.ask('echo', { value: 1 })).rejects.toMatchObject({ code: 'ACTOR_STOPPED' })
    })

    it('can be stopped more than once, at the same time too', async () => {
      const actor = start()
      await Promise.all([actor.stop(), actor.stop()])
      await actor.stop()
    })

    it('leaves no listener and no timer behind after 10,000 asks', async () => {
      const actor = start()
      const { signal } = new AbortController()
      setMaxListeners(0, signal)
      const timers = countTimers()
      for (let round = 0; round < 20; round++) {
        const asks = Array.from({ length: 500 }, (_, i) => actor.ask('echo', { value: i }, { signal, deadlineMs: 60_000 }))
        await Promise.all(asks)
      }
      expect(getEventListeners(signal, 'abort')).toEqual([])
      expect(countTimers()).toBeLessThanOrEqual(timers)
    })
  })
}

// --- internal ---

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
}
