import { describe, expect, it } from 'vitest'
import { parseToolNames, parseToolQuery } from '../../src/catalog/meta-tools.js'

describe('a query of search_tools', () => {
  it.each([
    [{ query: 'merge a branch' }, ['merge a branch'], 10],
    [{ queries: ['a', 'b'], limit: 3 }, ['a', 'b'], 3],
    ['{"query":"a","limit":"99"}', ['a'], 20],
    [{ q: 'a', limit: -1 }, ['a'], 1],
  ])('%j is read', (args, queries, limit) => {
    expect(parseToolQuery(args)).toEqual({ ok: { queries, limit } })
  })

  it.each([[undefined], [{}], [{ query: ' ' }], [{ query: 'a', limit: 'many' }]])('%j is told what to write', (args) => {
    expect(parseToolQuery(args)).toHaveProperty('fault', expect.stringMatching(/write/))
  })
})

describe('names of tools', () => {
  it.each([
    [{ names: ['a__b', 'c__d'] }],
    [{ names: 'a__b, c__d' }],
    [{ names: '["a__b","c__d"]' }],
    [{ tools: ['a__b', 'c__d', 'a__b'] }],
    ['{"names":["a__b c__d"]}'],
  ])('%j are read', (args) => {
    expect(parseToolNames(args, 'describe_tools')).toEqual({ ok: ['a__b', 'c__d'] })
  })

  it('that are missing are asked for', () => {
    expect(parseToolNames({ names: [] }, 'enable_tools')).toEqual({
      fault: 'names: found []; write enable_tools(names=["<name of a tool>"])',
    })
  })
})
