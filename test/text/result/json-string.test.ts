import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outlineOf } from '../../../src/text/result/frame-outline.js'
import { decodeJsonString } from '../../../src/text/result/json-string.js'

const decoded = (json: string) => {
  const bytes = Buffer.from(` ${json} `)
  return decodeJsonString(bytes, { start: 1, end: bytes.length - 1 })
}

describe('a JSON string decoded from its bytes', () => {
  it('is what JSON.parse makes of it, however it is escaped', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '"',
        '\\',
        '\n',
        '\t',
        '\b',
        '\f',
        '\r',
        '/',
        '\u0000',
        'é',
        '日本',
        '😀',
        '\ud800',
        '\udc00',
        'x'.repeat(300),
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.boolean(), (pieces, escaped) => {
        const plain = JSON.stringify(pieces.join(''))
        const json = escaped ? plain.replace(/[^\\"nrtbfu0-9a-f]/gu, asEscapes) : plain.replace(/\//g, '\\/')
        expect(decoded(json)).toBe(JSON.parse(json))
      }),
      { numRuns: 500 },
    )
  })

  it('keeps a lone surrogate beside megabytes', () => {
    const text = `${'line\n'.repeat(1_000)}\\`
    expect(decoded(`${JSON.stringify(text).slice(0, -1)}\\ud83d\\ude00\\udc00"`)).toBe(`${text}😀\udc00`)
  })
})

describe('an outline', () => {
  it('is there for what JSON.parse takes, and for nothing else', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '\\', '{', '}', ',', ':', '\n', '0', 'x'))
      .map(([json, at, char]) => {
        const place = at % (json.length + 1)
        return json.slice(0, place) + char + json.slice(place + 1)
      })
    fc.assert(
      fc.property(fc.oneof(fc.json(), broken), fc.constantFrom('result', 'content', 'other'), (json, key) => {
        const text = `{"${key}":[${json}]}`
        expect(outlineOf(Buffer.from(text)) !== undefined).toBe(isJson(text))
      }),
      { numRuns: 2_000 },
    )
  })
})

function asEscapes(char: string): string {
  return [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
