/** Lexical work on JSON bytes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyEdits,
  elementsOf,
  findMember,
  findPath,
  insertMember,
  membersOf,
  removeMember,
  skipSpace,
  skipValue,
  textOf,
} from '../../src/protocol/json-spans.js'
import { jsonString, jsonText, jsonValue } from '../support/json-texts.js'

const bytesOf = (text: string) => Buffer.from(text.toWellFormed(), 'utf8')
const objectText = jsonText.filter((text) => text.trimStart().startsWith('{'))

describe('skipValue', () => {
  it('ends where the value ends, whatever follows', () => {
    fc.assert(
      fc.property(jsonValue, fc.constantFrom(',1', '}', ' ', ']', ''), (json, tail) => {
        const bytes = bytesOf(json)
        expect(skipValue(Buffer.concat([bytes, Buffer.from(tail)]), 0)).toBe(bytes.length)
      }),
    )
  })

  it('ends on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(50), (bytes, at) => {
        expect(skipValue(bytes, at)).toBeGreaterThanOrEqual(0)
        membersOf(bytes, at)
        elementsOf(bytes, at)
      }),
    )
  })
})

describe('membersOf', () => {
  it('lists the keys and values that JSON.parse sees, duplicates included', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const bytes = bytesOf(text)
        const parsed = JSON.parse(bytes.toString()) as Record<string, unknown>
        const members = membersOf(bytes)
        expect(new Set(members.map(({ key }) => key))).toEqual(new Set(Object.keys(parsed)))
        for (const key of Object.keys(parsed)) {
          const value = findMember(bytes, skipSpace(bytes, 0), key)
          expect(value && JSON.parse(textOf(bytes, value))).toEqual(parsed[key])
        }
      }),
    )
  })
})

describe('elementsOf', () => {
  it('lists the elements that JSON.parse sees', () => {
    fc.assert(
      fc.property(fc.array(jsonValue, { maxLength: 6 }), (values) => {
        const bytes = bytesOf(`[ ${values.join(' ,\n')} ]`)
        expect(elementsOf(bytes, 0).map((span) => textOf(bytes, span))).toEqual(values.map((value) => value.toWellFormed()))
      }),
    )
  })
})

describe('findPath', () => {
  it('follows keys, escaped ones too, and is undefined where one is missing', () => {
    const bytes = bytesOf('{"a":{"\\u0062":{"c":[1.0]}}}')
    const span = findPath(bytes, ['a', 'b', 'c'])
    expect(span && textOf(bytes, span)).toBe('[1.0]')
    expect(findPath(bytes, ['a', 'x', 'c'])).toBeUndefined()
  })

  it('takes the last of duplicate keys, as JSON.parse does', () => {
    const bytes = bytesOf('{"id":1,"id":2}')
    const span = findMember(bytes, 0, 'id')
    expect(span && textOf(bytes, span)).toBe('2')
  })
})

describe('edits', () => {
  it('leave every byte outside their spans alone', () => {
    fc.assert(
      fc.property(objectText, jsonValue, fc.nat(5), (text, value, pick) => {
        const bytes = bytesOf(text)
        const members = membersOf(bytes)
        fc.pre(members.length > 0)
        const span = members[pick % members.length]?.value ?? { start: 0, end: 0 }
        const inserted = bytesOf(value)
        const edited = applyEdits(bytes, [{ ...span, text: inserted }])
        expect(edited.subarray(0, span.start).equals(bytes.subarray(0, span.start))).toBe(true)
        expect(edited.subarray(span.start, span.start + inserted.length).equals(inserted)).toBe(true)
        expect(edited.subarray(span.start + inserted.length).equals(bytes.subarray(span.end))).toBe(true)
      }),
    )
  })

  it('come in any order', () => {
    const bytes = bytesOf('{"a":1,"b":2}')
    const [a, b] = membersOf(bytes)
    const edits = [a, b].flatMap((member) => (member ? [{ ...member.value, text: 'null' }] : []))
    expect(applyEdits(bytes, edits).toString()).toBe('{"a":null,"b":null}')
    expect(applyEdits(bytes, [...edits].reverse()).toString()).toBe('{"a":null,"b":null}')
  })

  it('remove any one member and keep valid JSON with the others', () => {
    fc.assert(
      fc.property(objectText, fc.nat(5), (text, pick) => {
        const bytes = bytesOf(text)
        const members = membersOf(bytes)
        fc.pre(members.length > 0)
        const at = pick % members.length
        const edited = applyEdits(bytes, [removeMember(bytes, members[at] as (typeof members)[0])])
        JSON.parse(edited.toString())
        const texts = (list: typeof members, of: Buffer) => list.map(({ whole }) => textOf(of, whole))
        expect(texts(membersOf(edited), edited)).toEqual(texts(members, bytes).filter((_, i) => i !== at))
      }),
    )
  })

  it('insert a member in front of the others', () => {
    fc.assert(
      fc.property(objectText, jsonString, jsonValue, (text, key, value) => {
        const bytes = bytesOf(text)
        const at = skipSpace(bytes, 0)
        const edited = applyEdits(bytes, [insertMember(bytes, at, `${key}:${value}`.toWellFormed())])
        JSON.parse(edited.toString())
        expect(membersOf(edited)).toHaveLength(membersOf(bytes).length + 1)
        expect(membersOf(edited)[0]?.key).toBe(JSON.parse(key.toWellFormed()))
      }),
    )
  })
})
