import { describe, expect, it } from 'vitest'
import { editEntry, listResult, mergeMembers } from '../../src/catalog/merge.js'

const item = (json: string) => ({ key: 'k', json })

describe('editing an entry of a list', () => {
  it('exchanges and leaves out members and keeps every other byte', () => {
    const json =
      '{ "name":"a", "n":1.0, "big":12345678901234567890, "outputSchema":{"type":"object"}, "_meta":{"name":"inner"} }'
    const edited = editEntry(item(json), { set: { name: 'x__a' }, without: ['outputSchema'] })
    expect(edited).toBe('{ "name":"x__a", "n":1.0, "big":12345678901234567890,  "_meta":{"name":"inner"} }')
  })

  it('leaves out the only, the first and the last member', () => {
    for (const json of ['{"o":1}', '{"o":1,"a":2}', '{"a":2,"o":1}', '{"a":2 , "o" : [1,{"o":2}] }']) {
      const edited = JSON.parse(editEntry(item(json), { without: ['o'] })) as object
      expect(edited).toEqual(json === '{"o":1}' ? {} : { a: 2 })
    }
  })

  it('survives duplicate keys', () => {
    const edited = editEntry(item('{"a":1,"outputSchema":1,"outputSchema":2}'), { without: ['outputSchema'] })
    expect(JSON.parse(edited)).toEqual({ a: 1 })
  })
})

describe('a list result', () => {
  it('has the entries and what stands beside them, in their own texts', () => {
    expect(listResult('tools', ['{"name":"a"}', '{"name":"b"}'])).toBe('{"tools":[{"name":"a"},{"name":"b"}]}')
    const members = [
      { key: '_meta', json: '{ "n":1.0 }' },
      { key: 'x"y', json: '12345678901234567890' },
    ]
    expect(listResult('prompts', [], members)).toBe('{"prompts":[],"_meta":{ "n":1.0 },"x\\"y":12345678901234567890}')
  })
})

describe('what several servers have beside their entries', () => {
  const members = (json: string) =>
    Object.entries(JSON.parse(json) as object).map(([key, value]) => ({ key, json: JSON.stringify(value) }))

  it('is one server’s own text where only one has it', () => {
    const own = [{ key: '_meta', json: '{ "a" : 1.0 }' }]
    expect(mergeMembers([[], own, []])).toEqual(own)
    expect(mergeMembers([])).toEqual([])
  })

  it('is the first server’s, and of _meta the first server’s for each key', () => {
    const merged = mergeMembers([
      members('{"x":1}'),
      members('{"_meta":{"a":1,"b":{"c":2}},"x":2}'),
      members('{"_meta":{"b":3,"d":4},"y":5}'),
    ])
    expect(JSON.parse(listResult('tools', [], merged))).toEqual({ tools: [], x: 1, _meta: { a: 1, b: { c: 2 }, d: 4 }, y: 5 })
  })

  it('survives a _meta that is no object or empty', () => {
    for (const [first, second, expected] of [
      ['null', '{"a":1}', { a: 1 }],
      ['{"a":1}', '[1]', { a: 1 }],
      ['{}', '{"a":1}', { a: 1 }],
      ['{"a":1}', '{ }', { a: 1 }],
    ] as const) {
      const merged = mergeMembers([[{ key: '_meta', json: first }], [{ key: '_meta', json: second }]])
      expect(JSON.parse(listResult('tools', [], merged))).toEqual({ tools: [], _meta: expected })
    }
  })
})
