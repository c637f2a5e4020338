import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogLabels } from '../../src/catalog/labels.js'

const own = (names: readonly string[]) =>
  catalogLabels('srv', 'resource', names).map((label) => label.slice('mcp/srv/resource/'.length))

describe('catalogLabels', () => {
  it("holds the server's own name, control characters replaced", () => {
    expect(catalogLabels('srv', 'tool', ['getIssue', 'a b\n"c"', 'Größe', '問題を作る'])).toEqual([
      'mcp/srv/tool/getIssue',
      'mcp/srv/tool/a b_"c"',
      'mcp/srv/tool/Größe',
      'mcp/srv/tool/問題を作る',
    ])
  })

  it('numbers names that repeat, and leaves a legal name its own label', () => {
    expect(own(['x', 'x', 'x-2', 'x'])).toEqual(['x', 'x-3', 'x-2', 'x-4'])
    expect(own(['a\tb', 'a_b', ''])).toEqual(['a_b-2', 'a_b', '_'])
    expect(own(['__proto__', 'constructor'])).toEqual(['__proto__', 'constructor'])
  })

  it('gives one label to each, none twice, none long or on two lines', () => {
    const name = fc.oneof(
      fc.constantFrom('a', 'a-2', 'a-3', 'ä', '🐎', 'x'.repeat(600), '🐎'.repeat(200)),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const labels = own(names)
        expect(new Set(labels).size).toBe(names.length)
        for (const label of labels) {
          expect(label).toMatch(/^\P{Cc}+$/u)
          expect(label.isWellFormed()).toBe(true)
          expect(Buffer.byteLength(label)).toBeLessThanOrEqual(530)
        }
      }),
    )
  })
})
