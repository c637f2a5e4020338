import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EmbedQueue } from '../../src/indexer/embed-queue.js'
import { CHUNKS_PER_SOURCE } from '../../src/store/sql.js'

const idOf = (source: number, chunk: number) => source * CHUNKS_PER_SOURCE + chunk

describe('the queue of passages', () => {
  it('gives every passage once, whatever is promoted and put back, and knows how many wait', () => {
    const act = fc.oneof(
      fc.record({ take: fc.integer({ min: 1, max: 8 }), fails: fc.boolean() }),
      fc.record({ promote: fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(12)), { maxLength: 5 }) }),
    )
    fc.assert(
      fc.property(fc.array(fc.nat(10), { minLength: 1, maxLength: 4 }), fc.array(act, { maxLength: 40 }), (counts, acts) => {
        const queue = new EmbedQueue()
        counts.forEach((count, n) => {
          queue.addSource(n + 1, count)
        })
        const given: number[] = []
        const take = (size: number, fails: boolean) => {
          const taken = queue.take(size)
          if (fails) queue.putBack(taken)
          else given.push(...taken)
          return taken.length
        }
        for (const one of acts) {
          if ('take' in one) take(one.take, one.fails)
          else
            queue.promote(
              one.promote
                .map(([source, chunk]) => idOf(source, chunk))
                .filter((id) => !given.includes(id) && exists(id, counts)),
            )
        }
        while (take(8, false) > 0);
        const all = counts.flatMap((count, n) => Array.from({ length: count }, (_, chunk) => idOf(n + 1, chunk)))
        expect(given.sort((a, b) => a - b)).toEqual(all)
        expect(queue.waiting).toBe(0)
      }),
    )
  })

  it('gives what a search has met first, then catalogs, then the newest response', () => {
    const queue = new EmbedQueue()
    queue.addSource(1, 3)
    queue.addSource(2, 3)
    const job = { alias: 'a', ids: [7], texts: ['x'], done: 0, values: undefined }
    queue.addCatalog(job)
    expect(queue.catalog()).toBe(job)
    queue.promote([idOf(1, 2)])
    expect(queue.catalog()).toBeUndefined()
    expect(queue.take(2)).toEqual([idOf(1, 2), idOf(2, 0)])
    expect(queue.waiting).toBe(5)
  })
})

function exists(id: number, counts: readonly number[]): boolean {
  return id % CHUNKS_PER_SOURCE < (counts[Math.floor(id / CHUNKS_PER_SOURCE) - 1] ?? 0)
}
