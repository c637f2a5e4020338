import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { InFlight } from '../../src/upstream/in-flight.js'

const handler = { answer: () => undefined, fail: () => undefined }

describe('the time limit of a request', () => {
  it('stands still while the request is held, and starts anew after that', async () => {
    const over: number[] = []
    const inFlight = new InFlight((id) => over.push(id))
    inFlight.add(1, handler, { timeoutMs: 50, frame: undefined })
    inFlight.add(2, handler, { timeoutMs: 50, frame: undefined })
    inFlight.hold(1, true)
    inFlight.touch(1)
    await sleep(200)
    expect(over).toEqual([2])
    inFlight.hold(1, false)
    await sleep(200)
    expect(over).toEqual([2, 1])
  })
})
