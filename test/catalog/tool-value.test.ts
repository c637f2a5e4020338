import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAffinity, EXPECTED_USE, toolValues } from '../../src/catalog/tool-value.js'
import type { ToolRef, UsageScores } from '../../src/protocol/usage-api.js'

const ref = (tool: string, server = 's'): ToolRef => ({ server, tool })
const usage = (scores: Record<string, number>, pairs: readonly [string, string, number][]): UsageScores => ({
  scores: Object.entries(scores).map(([tool, score]) => ({ ...ref(tool), score })),
  pairs: pairs.map(([from, to, weight]) => ({ from: ref(from), to: ref(to), weight })),
})
const chain = usage({ list: 8, read: 4, write: 4, odd: 4 }, [
  ['list', 'read', 3],
  ['list', 'write', 1],
  ['read', 'write', 2],
])

describe('toolValues', () => {
  it('adds to the own use the uses to be expected after others', () => {
    const value = toolValues(chain)
    expect(value(ref('list'))).toBe(8)
    expect(value(ref('read'))).toBe(4 + EXPECTED_USE * 8 * (3 / 4))
    expect(value(ref('write'))).toBe(4 + EXPECTED_USE * (8 * (1 / 4) + 4))
    expect(value(ref('odd'))).toBe(4)
  })

  it('gives 0 to what was never used, names of other servers and of objects included', () => {
    const value = toolValues(chain)
    for (const tool of [ref('list', 'other'), ref('constructor'), ref('__proto__'), ref('')]) expect(value(tool)).toBe(0)
    expect(toolValues({ scores: [], pairs: [] })(ref('list'))).toBe(0)
  })

  it('expects nothing after a tool that has no uses left, and survives weights that faded to 0', () => {
    const value = toolValues(
      usage({ a: 1e-320 }, [
        ['gone', 'a', 5],
        ['a', 'b', 0],
      ]),
    )
    expect([value(ref('a')), value(ref('b'))]).toEqual([1e-320, 0])
  })

  const names = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const weight = fc.double({ min: 1e-6, max: 1e6, noNaN: true })
  const anyUsage = fc
    .tuple(fc.dictionary(names, weight), fc.array(fc.tuple(names, names, weight), { maxLength: 12 }))
    .map(([scores, pairs]) => usage(scores, pairs))
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => ref(name))

  it('is worth at least the own use, and all expectations together at most half of all uses', () => {
    fc.assert(
      fc.property(anyUsage, (drawn) => {
        const value = toolValues(drawn)
        for (const tool of drawn.scores) expect(value(tool)).toBeGreaterThanOrEqual(tool.score)
        const uses = drawn.scores.reduce((sum, { score }) => sum + score, 0)
        const values = all.reduce((sum, tool) => sum + value(tool), 0)
        expect(values).toBeLessThanOrEqual(uses * (1 + EXPECTED_USE) * (1 + 1e-9))
      }),
    )
  })

  it('scales with the scores, so that their reference time does not show in the order', () => {
    fc.assert(
      fc.property(anyUsage, fc.integer({ min: -40, max: 40 }), (drawn, doublings) => {
        const by = 2 ** doublings
        const scaled = toolValues({
          scores: drawn.scores.map((tool) => ({ ...tool, score: tool.score * by })),
          pairs: drawn.pairs.map((pair) => ({ ...pair, weight: pair.weight * by })),
        })
        for (const tool of all) expect(scaled(tool)).toBe(toolValues(drawn)(tool) * by)
      }),
    )
  })
})

const affinityWith = (used: readonly ToolRef[], scores: UsageScores) => createAffinity(scores)(used).valueOf

describe('createAffinity', () => {
  it('ranks tools by how often they follow those in use', () => {
    const affinity = affinityWith([ref('list')], chain)
    expect([affinity(ref('read')), affinity(ref('write')), affinity(ref('odd'))]).toEqual([
      EXPECTED_USE * 0.75,
      EXPECTED_USE * 0.25,
      0,
    ])
  })

  it('sums over the tools in use, each counted once', () => {
    const used = [ref('list'), ref('read'), ref('list')]
    expect(affinityWith(used, chain)(ref('write'))).toBe(EXPECTED_USE * 1.25)
    expect(affinityWith([], chain)(ref('write'))).toBe(0)
  })

  it('adds what one more use of each would add to the values', () => {
    const more = toolValues({ ...chain, scores: chain.scores.map((tool) => ({ ...tool, score: tool.score + 1 })) })
    const affinity = affinityWith(chain.scores, chain)
    for (const tool of chain.scores) expect(toolValues(chain)(tool) + 1 + affinity(tool)).toBeCloseTo(more(tool), 12)
  })
})
