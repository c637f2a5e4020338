/** JSON with other white space is the same JSON, token by token. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJson, minifyJson, reindentJson } from '../../src/text/json-text.js'
import { jsonText, tokensOf } from '../support/json-texts.js'

function parses(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

const broken = fc
  .tuple(
    jsonText,
    fc.nat(),
    fc.constantFrom('', ',', '"', '}', ']', '{', '0', 'x', '\\', '\n', '\u0001', '-', '.', ':'),
    fc.nat(2),
  )
  .map(([text, at, piece, removed]) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + piece + text.slice(place + removed)
  })

describe('isJson', () => {
  it('takes what JSON.parse takes, as long as it is an object or array', () => {
    fc.assert(fc.property(jsonText, (text) => isJson(text)))
  })

  it('refuses what JSON.parse refuses', () => {
    fc.assert(
      fc.property(broken, (text) => {
        expect(isJson(text)).toBe(parses(text))
      }),
      { numRuns: 2_000 },
    )
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:01e-+.\\untrfalse \n') }), (text) => {
        expect(isJson(text)).toBe(parses(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('refuses scalars, several values, comments, a byte order mark and other white space', () => {
    for (const text of [
      '',
      ' ',
      '1',
      '"a"',
      'null',
      '{}{}',
      '{}\n{}',
      '// a\n{}',
      '{"a":1,}',
      '[1,]',
      "{'a':1}",
      '\ufeff{}',
      '\u00a0{}',
      '[01]',
      '[.5]',
      '[1.]',
      '[+1]',
      '[NaN]',
      '["\t"]',
      '["\\x"]',
      '["\\u12g4"]',
      '[1 2]',
      '{"a" 1}',
      '{"a":}',
      '[tru]',
      '[truefalse]',
      '{',
      '["',
      '[1}',
    ])
      expect(isJson(text), text).toBe(false)
  })

  it('takes any depth', () => {
    const depth = 200_000
    expect(isJson('['.repeat(depth) + ']'.repeat(depth))).toBe(true)
    expect(isJson('['.repeat(depth) + ']'.repeat(depth - 1))).toBe(false)
  })
})

describe('reindentJson', () => {
  it('keeps every token as it is', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(tokensOf(reindentJson(text))).toEqual(tokensOf(text))
      }),
    )
  })

  it('writes what JSON.stringify writes with two spaces, where stringify is exact', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        fc.pre(typeof value === 'object' && value !== null)
        for (const indent of [0, 1, 4, '\t'])
          expect(reindentJson(JSON.stringify(value, null, indent))).toBe(JSON.stringify(value, null, 2))
      }),
    )
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(reindentJson(reindentJson(text))).toBe(reindentJson(text))
      }),
    )
  })

  it('keeps numbers, escapes, key order and duplicate keys', () => {
    expect(reindentJson('{"z":1.0,"a":[1e400, 123456789012345678901234567890,"\\u00e9\\ud83d"],"z":{},"e":[ ]}')).toBe(
      '{\n  "z": 1.0,\n  "a": [\n    1e400,\n    123456789012345678901234567890,\n    "\\u00e9\\ud83d"\n  ],\n  "z": {},\n  "e": []\n}',
    )
  })

  it('keeps lone surrogates and characters of any plane', () => {
    const text = '{"a":"\ud800 漢字 😀 é","\udc00":[]}'
    expect(tokensOf(reindentJson(text))).toEqual(tokensOf(text))
  })

  it('stays linear in depth', () => {
    const depth = 50_000
    expect(reindentJson('['.repeat(depth) + ']'.repeat(depth)).length).toBeLessThan(depth * 300)
  })

  it('joins long texts without a seam', () => {
    const value = Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `name ${i}`, 漢: [i] }))
    expect(reindentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
  })
})

describe('minifyJson', () => {
  it('keeps every token and no white space between them', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(minifyJson(text)).toBe(tokensOf(text).join(''))
        expect(minifyJson(reindentJson(text))).toBe(minifyJson(text))
      }),
    )
  })
})
