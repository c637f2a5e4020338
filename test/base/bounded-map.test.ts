/** A Map with a limit. */
import { describe, expect, it } from 'vitest'
import { BoundedMap } from '../../src/base/bounded-map.js'

describe('BoundedMap', () => {
  it('forgets its oldest entry when it grows over its limit', () => {
    const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('c', 3)
    expect([...map]).toEqual([
      ['b', 2],
      ['c', 3],
    ])
  })

  it('takes an entry that is set again as the newest', () => {
    const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 9).set('c', 3)
    expect([...map]).toEqual([
      ['a', 9],
      ['c', 3],
    ])
  })

  it('keeps nothing with a limit of zero, and an undefined key like any other', () => {
    expect(new BoundedMap<string, number>(0).set('a', 1).size).toBe(0)
    const map = new BoundedMap<string | undefined, number>(1).set(undefined, 1).set('b', 2)
    expect([...map.keys()]).toEqual(['b'])
  })
})
