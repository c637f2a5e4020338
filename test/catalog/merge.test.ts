import { describe, expect, it } from 'vitest'
import { editEntry, listResult } from '../../src/catalog/merge.js'

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

  it('joins entries into a result', () => {
    expect(JSON.parse(listResult('tools', ['{"name":"a"}', '{"name":"b"}']) ?? '')).toEqual({
      tools: [{ name: 'a' }, { name: 'b' }],
    })
    expect(listResult('prompts', [])).toBe('{"prompts":[]}')
  })

  it('gives pages of a size that together are the list, and refuses cursors it never gave', () => {
    const entries = ['1', '2', '3', '4', '5']
    const pages: number[][] = []
    let cursor: string | undefined
    do {
      const page = JSON.parse(listResult('tools', entries, { cursor, size: 2 }) ?? '') as {
        tools: number[]
        nextCursor?: string
      }
      pages.push(page.tools)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(pages).toEqual([[1, 2], [3, 4], [5]])
    for (const wrong of ['', 'sluice-6', 'sluice--1', '2', 'sluice-x']) {
      expect(listResult('tools', entries, { cursor: wrong, size: 2 })).toBeUndefined()
    }
  })
})
