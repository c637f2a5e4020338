/** Sizes and safe cuts. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ellipsize, headWithin, safeCut, utf8Length } from '../../src/base/utf8.js'

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 4 }),
      fc.constantFrom('\\', '\\\\', '\\n', '\\"', '\\u00e9', '\\ud83d\\ude00', '\\ud83d', '😀', 'é', '漢', 'u', '0'),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''))

describe('safeCut', () => {
  it('is a place at or shortly before the one asked for, and stays in the text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: -3, max: 80 }), (text, at) => {
        const cut = safeCut(text, at)
        expect(cut).toBeLessThanOrEqual(Math.max(0, Math.min(at, text.length)))
        expect(cut).toBeGreaterThanOrEqual(Math.max(0, Math.min(at, text.length)) - 12)
      }),
    )
  })

  it('is its own cut', () => {
    fc.assert(fc.property(anyText, fc.nat(80), (text, at) => safeCut(text, safeCut(text, at)) === safeCut(text, at)))
  })

  it('takes a backslash and a surrogate pair behind it for one', () => {
    const text = 'a\\😀b'
    expect([1, 2, 3, 4, 5].map((at) => safeCut(text, at))).toEqual([1, 1, 1, 4, 5])
  })

  it('splits no surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.nat(60), (text, at) => {
        expect(text.slice(0, safeCut(text, at)).isWellFormed()).toBe(true)
      }),
    )
  })

  it('stays quick in a long run of backslashes', () => {
    const text = '\\\\'.repeat(500_000)
    for (let at = 2_001; at < text.length; at += 2_000) expect(safeCut(text, at)).toBe(at - 1)
  })

  it('splits no escape of a JSON string, so that both sides decode to the whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(120), fc.boolean(), (value, at, escaped) => {
        const inner = JSON.stringify(value).slice(1, -1)
        const text = escaped
          ? inner.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          : inner
        const cut = safeCut(text, at)
        const decode = (part: string) => JSON.parse(`"${part}"`) as string
        expect(decode(text.slice(0, cut)) + decode(text.slice(cut))).toBe(value)
        expect(decode(text.slice(0, cut)).isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('headWithin', () => {
  it('is a head of the text that fits and is no more than an escape shorter than it could be', () => {
    fc.assert(
      fc.property(anyText, fc.nat(60), (text, maxBytes) => {
        const head = headWithin(text, maxBytes)
        expect(text.startsWith(head)).toBe(true)
        expect(utf8Length(head)).toBeLessThanOrEqual(maxBytes)
        if (head !== text) expect(utf8Length(text.slice(0, head.length + 14))).toBeGreaterThan(maxBytes - 3)
      }),
    )
  })

  it('gives valid UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.nat(100), (text, maxBytes) => {
        const head = headWithin(text, maxBytes)
        expect(Buffer.from(head, 'utf8').toString('utf8')).toBe(head)
      }),
    )
  })
})

describe('ellipsize', () => {
  it('keeps what fits and marks what it cuts', () => {
    expect(ellipsize('short', 5)).toBe('short')
    expect(ellipsize('a longer line', 9)).toBe('a longer…')
    expect(ellipsize('ab😀cd', 4)).toBe('ab…')
  })

  it('never exceeds its limit', () => {
    fc.assert(fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, max) => ellipsize(text, max).length <= max))
  })
})
