import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VectorIndex } from '../../src/embed/vector-index.js'

const DIMENSIONS = 7

describe('an index of vectors', () => {
  it('finds what a look at every vector finds, whatever was put, replaced and deleted', () => {
    const vector = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
    const change = fc.record({ id: fc.nat(40), vector: fc.option(vector) })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 120 }), vector, fc.integer({ min: 1, max: 12 }), (changes, query, limit) => {
        const index = new VectorIndex(DIMENSIONS)
        const plain = new Map<number, number[]>()
        for (const { id, vector } of changes) {
          if (vector) index.set(id, Float32Array.from(vector))
          else index.delete(id)
          if (vector) plain.set(id, vector)
          else plain.delete(id)
        }
        const score = (vector: readonly number[]) => vector.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0)
        const expected = [...plain.values()].map(score).sort((a, b) => b - a)
        const found = index.search(Float32Array.from(query), limit)
        expect(index.size).toBe(plain.size)
        expect(found.map((hit) => hit.score)).toEqual(expected.slice(0, limit))
        for (const hit of found) expect(score(plain.get(hit.id) ?? [])).toBe(hit.score)
      }),
    )
  })

  it('keeps thousands over many blocks, and gives up what is pruned', () => {
    const index = new VectorIndex(2)
    for (let id = 0; id < 2_000; id++) index.set(id, Float32Array.of(Math.cos(id / 1_000), Math.sin(id / 1_000)))
    index.prune((id) => id % 2 === 1)
    expect(index.size).toBe(1_000)
    expect(index.search(Float32Array.of(1, 0), 3).map(({ id }) => id)).toEqual([0, 2, 4])
    expect(index.search(Float32Array.of(1, 0), 2, (id) => id > 100).map(({ id }) => id)).toEqual([102, 104])
  })

  it('passes over a vector that holds no numbers', () => {
    const index = new VectorIndex(2)
    index.set(1, Float32Array.of(Number.NaN, 1))
    index.set(2, Float32Array.of(1, 0))
    expect(index.search(Float32Array.of(1, 0), 5)).toEqual([{ id: 2, score: 1 }])
  })
})
