import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuse } from '../../src/embed/fuse.js'

const ids = fc.uniqueArray(fc.nat(60), { maxLength: 40 })

describe('fusing two rankings', () => {
  it('keeps every id once, and exact ones in front', () => {
    fc.assert(
      fc.property(ids, ids, fc.nat(5), fc.double({ min: 0.01, max: 2, noNaN: true }), (words, near, exact, weight) => {
        const votes = near.map((id) => ({ id, weight }))
        const fused = fuse(words, votes, exact)
        expect([...fused].sort()).toEqual([...new Set([...words, ...near])].sort())
        expect(fused.slice(0, Math.min(exact, words.length))).toEqual(words.slice(0, exact))
      }),
    )
  })

  it('changes nothing by votes without weight', () => {
    fc.assert(
      fc.property(ids, ids, fc.nat(5), (words, near, exact) => {
        expect(
          fuse(
            words,
            near.map((id) => ({ id, weight: 0 })),
            exact,
          ),
        ).toEqual(words)
      }),
    )
  })

  it('lets a light vote decide between neighbours far down, not at the top', () => {
    const words = Array.from({ length: 30 }, (_, id) => id)
    const fused = fuse(words, [{ id: 29, weight: 0.04 }], 0)
    expect(fused.slice(0, 10)).toEqual(words.slice(0, 10))
    expect(fused.indexOf(29)).toBeLessThan(29)
  })

  it('puts what only meaning has found behind what words have found, when its vote is light', () => {
    expect(fuse([1, 2, 3], [{ id: 9, weight: 0.04 }], 0)).toEqual([1, 2, 3, 9])
  })

  it('cannot turn over the first eleven by words with votes of 0.02', () => {
    fc.assert(
      fc.property(ids, ids, (words, near) => {
        const votes = near.map((id) => ({ id, weight: 0.02 }))
        expect(fuse(words, votes, 0).slice(0, Math.min(11, words.length))).toEqual(words.slice(0, 11))
      }),
    )
  })
})
