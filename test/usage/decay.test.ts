import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HALF_LIFE_MS, jointLevel, scoreOf } from '../../src/usage/decay.js'

const NOW = Date.UTC(2026, 10, 30)
const times = fc.array(fc.integer({ min: NOW - 100 * HALF_LIFE_MS, max: NOW }), { minLength: 1, maxLength: 50 })
const levelOf = (uses: readonly number[]) => uses.reduce(jointLevel)

describe('the decay of uses', () => {
  it('halves a use for every half-life of recorded time after it', () => {
    expect([0, 1, 2].map((lives) => scoreOf(NOW - lives * HALF_LIFE_MS, NOW))).toEqual([1, 0.5, 0.25])
    expect(scoreOf(jointLevel(NOW, NOW), NOW)).toBeCloseTo(2, 10)
  })

  it('gives the sum over all uses', () => {
    fc.assert(
      fc.property(times, (uses) => {
        const sum = uses.reduce((total, use) => total + 2 ** ((use - NOW) / HALF_LIFE_MS), 0)
        expect(scoreOf(levelOf(uses), NOW) / sum).toBeCloseTo(1, 9)
      }),
    )
  })

  it('does not depend on the order of uses', () => {
    fc.assert(
      fc.property(times, (uses) => {
        expect(scoreOf(levelOf(uses.toReversed()), NOW) / scoreOf(levelOf(uses), NOW)).toBeCloseTo(1, 9)
      }),
    )
  })

  it('orders tools alike at all times', () => {
    fc.assert(
      fc.property(times, times, fc.integer({ min: NOW, max: NOW + 20 * HALF_LIFE_MS }), (one, other, later) => {
        const order = (last: number) => Math.sign(scoreOf(levelOf(one), last) - scoreOf(levelOf(other), last))
        expect(Math.abs(order(NOW) - order(later))).toBeLessThan(2)
      }),
    )
  })

  it('holds a million uses, and uses that are centuries apart', () => {
    let level = NOW
    for (let i = 1; i < 1_000_000; i++) level = jointLevel(level, NOW)
    expect(scoreOf(level, NOW) / 1_000_000).toBeCloseTo(1, 6)
    expect(jointLevel(0, 1e15)).toBe(1e15)
  })
})
