import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { countTokens, EXACT_BYTES } from '../../src/compute/count-tokens.js'

const prose =
  'The quick brown fox jumps over the lazy dog; "internationalization" costs 12,345.67 EUR in Zürich. 数据库查询。\n'

describe('countTokens', () => {
  it('counts texts of up to 64 KiB exactly', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(countTokens([text])).toEqual([
          { tokens: encode(text, { disallowedSpecial: new Set() }).length, estimated: false },
        ])
      }),
    )
  })

  it('takes the names of special tokens for text', () => {
    const [count] = countTokens(['<|endoftext|>'])
    expect(count?.tokens).toBeGreaterThan(1)
  })

  it('estimates longer texts within 3 %', () => {
    const text = prose.repeat(2_000)
    const [count] = countTokens([text])
    const exact = encode(text).length
    expect(count?.estimated).toBe(true)
    expect(Math.abs((count?.tokens ?? 0) - exact) / exact).toBeLessThan(0.03)
  })

  it('measures the limit in UTF-8 bytes', () => {
    const fits = prose
      .repeat(2_000)
      .slice(0, EXACT_BYTES)
      .replaceAll(/[^ -~\n]/g, '.')
    const [exact, estimated] = countTokens([fits, `${fits.slice(0, -1)}é`])
    expect([exact?.estimated, estimated?.estimated]).toEqual([false, true])
  })

  it.each([
    ['letters', 'a'],
    ['CJK', '数'],
    ['blanks', ' '],
    ['line breaks', '\n'],
    ['signs', '='],
    ['emoji', '🐎'],
    ['combining marks', '\u0301'],
    ['lone surrogates', '\ud800'],
  ])('never takes quadratic time on an unbroken run of %s', (_what, unit) => {
    const long = unit.repeat(2_000_000)
    const counts = countTokens([long, unit.repeat(1_500), unit.repeat(300)])
    expect(counts.map(({ estimated }) => estimated)).toEqual([true, true, false])
    expect(counts[0]?.tokens).toBeGreaterThan(1_000)
    expect(counts[0]?.tokens).toBeLessThan(long.length * 4)
  })

  it('counts long numbers exactly, since the tokenizer breaks them up', () => {
    const text = '1234567890'.repeat(500)
    expect(countTokens([text])).toEqual([{ tokens: encode(text).length, estimated: false }])
  })
})
