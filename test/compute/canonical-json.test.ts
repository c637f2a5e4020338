import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/compute/canonical-json.js'

const canonical = (json: string) => canonicalJson(Buffer.from(json))

describe('the canonical form of JSON', () => {
  it.each([
    ['{"b":1,"a":[true,{"d":null,"c":"x"}]}', '{"a":[true,{"c":"x","d":null}],"b":1}'],
    [' { "b" : 1 ,\n"a" : [ ] } ', '{"a":[],"b":1}'],
    ['{"a":9007199254740993}', '{"a":9007199254740993}'],
    ['{"a":1.0}', '{"a":1.0}'],
    ['"\\u0041\\/"', '"A/"'],
    ['{"\\u0061":1}', '{"a":1}'],
    ['{}', '{}'],
  ])('of %j is %j', (json, expected) => {
    expect(canonical(json)).toBe(expected)
  })

  it('tells big integers apart', () => {
    expect(canonical('{"id":9007199254740993}')).not.toBe(canonical('{"id":9007199254740992}'))
  })

  it('is the same in whatever order and spacing keys come', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (json) => {
        const reversed = JSON.stringify(JSON.parse(json), (_, value: unknown) =>
          typeof value === 'object' && value !== null && !Array.isArray(value)
            ? Object.fromEntries(Object.entries(value).reverse())
            : value,
        )
        expect(canonical(JSON.stringify(JSON.parse(reversed), null, 2))).toBe(canonical(JSON.stringify(JSON.parse(json))))
      }),
    )
  })

  it('takes deep nesting as it is, and broken text to its end', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    expect(canonical(deep)).toBe(deep)
    expect(canonical('{"a":')).toBeTypeOf('string')
    expect(canonical('')).toBe('')
  })
})
