import { expect, it } from 'vitest'
import { createBackoff } from '../../src/upstream/backoff.js'

it('doubles up to a minute and never ends', () => {
  const backoff = createBackoff({ random: () => 0 })
  expect(Array.from({ length: 9 }, () => backoff.failed())).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000, 60000])
})

it('takes off at most a tenth', () => {
  const backoff = createBackoff({ random: () => 1 })
  expect([backoff.failed(), backoff.failed()]).toEqual([900, 1800])
})

it('begins anew only after a success that lasted', () => {
  let now = 0
  const backoff = createBackoff({ random: () => 0, now: () => now })
  backoff.failed()
  backoff.succeeded()
  now += 59_999
  expect(backoff.failed()).toBe(2000)
  backoff.succeeded()
  now += 60_000
  expect(backoff.failed()).toBe(1000)
  now += 60_000
  expect(backoff.failed()).toBe(2000)
})
