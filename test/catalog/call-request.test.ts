/** The arguments of the calling tool, however a model writes them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CallRequest, parseCallRequest } from '../../src/catalog/call-request.js'

const parse = (json: string | undefined) => parseCallRequest(json, 'IndexCall')

function requestIn(json: string): CallRequest {
  const parsed = parse(json)
  if ('fault' in parsed) throw new Error(parsed.fault)
  return parsed.ok
}

const faultIn = (json: string | undefined) => {
  const parsed = parse(json)
  return 'fault' in parsed ? parsed.fault : ''
}

/** Texts of objects that printing anew would change. */
const ODD = [
  '{ "a" : 1.0 }',
  '{"big":12345678901234567890,"e":1e0}',
  '{"a":1,"a":2}',
  '{"10":1,"2":"\\u00e9\\/"}',
  '{ }',
  '{"name":"inner"}',
]
const objects = fc.oneof(
  fc.constantFrom(...ODD),
  fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }).map((value) => JSON.stringify(value)),
)

describe('arguments', () => {
  it('in an object or a string, wrapped at most twice, come out to the byte', () => {
    fc.assert(
      fc.property(objects, fc.nat(2), fc.boolean(), (text, wraps, nameFirst) => {
        let wrapped = text
        for (let wrap = 0; wrap < wraps; wrap++) wrapped = JSON.stringify(wrapped)
        const members = ['"name":"a__b"', `"arguments":${wrapped}`]
        const json = `{${(nameFirst ? members : members.reverse()).join(', ')}}`
        expect(requestIn(json)).toEqual({ name: 'a__b', argumentsJson: text })
        // The whole, too, may be a string.
        expect(requestIn(JSON.stringify(json))).toEqual({ name: 'a__b', argumentsJson: text })
      }),
    )
  })

  it('that are flat are all members but the name, each to the byte', () => {
    const keys = fc.string({ minLength: 1 }).filter((key) => key !== 'name' && key !== 'arguments')
    const flat = fc.uniqueArray(fc.tuple(keys, fc.jsonValue()), { maxLength: 5, selector: ([key]) => key })
    fc.assert(
      fc.property(flat, fc.nat(5), (members, at) => {
        const texts = members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
        const place = Math.min(at, texts.length)
        const json = `{${[...texts.slice(0, place), '"name":"x"', ...texts.slice(place)].join(',')}}`
        expect(requestIn(json)).toEqual({ name: 'x', argumentsJson: `{${texts.join(',')}}` })
      }),
    )
  })

  it.each([
    ['{"name":"x","arguments":"all of it"}', '{"arguments":"all of it"}'],
    ['{"name":"x","arguments":[1]}', '{"arguments":[1]}'],
    ['{"name":"x","arguments":7,"b":1.0}', '{"arguments":7,"b":1.0}'],
    ['{"name":"x","arguments":null}', '{}'],
    ['{"name":"x","arguments":"  "}', '{}'],
    ['{"name":" x "}', '{}'],
    ['{"name":"x","arguments":{"a":1},"b":2.0,"a":3}', '{"b":2.0,"a":1}'],
    ['{"name":"x","arguments":{},"b":2}', '{"b":2}'],
    ['{"b":1,"name":"x","arguments":"{\\"a\\":1.0}"}', '{"b":1,"a":1.0}'],
  ])('of %s are %s', (json, argumentsJson) => {
    expect(requestIn(json)).toEqual({ name: 'x', argumentsJson })
  })
})

describe('a request without what it needs', () => {
  it.each([
    [undefined, 'name: is missing'],
    ['{}', 'name: is missing'],
    ['{"name":7}', 'name: must be the name of a tool'],
    ['{"name":" "}', 'name: must be the name of a tool'],
    ['[1]', 'arguments: must be an object'],
    ['"plain"', 'arguments: must be an object'],
    ['null', 'arguments: must be an object'],
    ['{"name":"x","arguments":"{\\"a\\":1,"}', 'arguments: is the text of an object that is no JSON \\(.+\\)'],
  ])('%s is told so: %s', (json, fault) => {
    expect(faultIn(json)).toMatch(new RegExp(`^${fault}; write IndexCall\\(name=`))
  })

  it('never throws, whatever is sent', () => {
    fc.assert(fc.property(fc.json(), (json) => void parse(json)))
  })
})
