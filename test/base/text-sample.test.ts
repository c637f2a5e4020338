import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleOf, WHOLE_CHARS } from '../../src/base/text-sample.js'

describe('a sample of texts', () => {
  it('is the texts themselves up to 64 Ki characters', () => {
    const texts = ['a'.repeat(WHOLE_CHARS - 1), 'b']
    expect(sampleOf(texts)).toEqual({ texts, chars: WHOLE_CHARS })
    expect(sampleOf([])).toEqual({ texts: [], chars: 0 })
  })

  it('is 32 pieces from the first character to the last of longer ones', () => {
    const text = Array.from({ length: 100_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('')
    const { texts, chars } = sampleOf([text])
    expect(chars).toBe(100_000)
    expect(texts).toHaveLength(32)
    expect(texts[0]).toBe(text.slice(0, 1_000))
    expect(texts.at(-1)).toBe(text.slice(-1_000))
  })

  it('takes no piece that is in none of the texts, and splits no pair', () => {
    const part = fc.oneof(
      fc.constant('😀'.repeat(20_000)),
      fc.nat(60_000).map((n) => 'x\\'.repeat(n)),
      fc.constant(''),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (texts) => {
        const sample = sampleOf(texts)
        expect(sample.chars).toBe(texts.join('').length)
        for (const piece of sample.texts) {
          expect(texts.some((text) => text.includes(piece))).toBe(true)
          expect(piece).toBe(piece.toWellFormed())
        }
      }),
      { numRuns: 30 },
    )
  })
})
