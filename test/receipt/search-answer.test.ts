import { describe, expect, it } from 'vitest'
import { type Hit, renderSearch } from '../../src/receipt/search-answer.js'

const names = { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' }
const hit = (key: number, chars = 20): Hit => ({
  key,
  label: `t:${key}`,
  title: 'Title',
  firstLine: 9,
  lastLine: 10,
  rows: [
    { line: 9, part: 0, text: 'x'.repeat(chars) },
    { line: 10, part: 2, text: 'é' },
  ],
})

describe('a search answer', () => {
  it('has a heading for each query and hits with label, title, lines and numbered text', () => {
    const { text } = renderSearch({
      queries: [
        { query: 'one\ntwo', hits: [hit(1, 3)] },
        { query: 'no', hits: [] },
      ],
      notes: ['A note.'],
      names,
    })
    expect(text).toBe(
      [
        '## 1. one two',
        '[1.1] t:1 — Title — lines 9-10',
        '   9\txxx',
        '10-2\té',
        '',
        '## 2. no',
        'Nothing found so far; see below for what was not searched.',
        '',
        'A note.',
      ].join('\n'),
    )
  })

  it('says what to do when nothing is found and all was searched', () => {
    const { text } = renderSearch({ queries: [{ query: 'no', hits: [] }], notes: [], names })
    expect(text).toContain('## 1. no\nNothing found; try other words, or read a source with IndexRead.')
  })

  it('gives the best hit of each query its text before the second of any', () => {
    const hits = (q: number) => [hit(q * 10, 10_000), hit(q * 10 + 1, 10_000), hit(q * 10 + 2, 10_000)]
    const { text } = renderSearch({ queries: [1, 2, 3].map((q) => ({ query: `q${q}`, hits: hits(q) })), notes: [], names })
    expect(Buffer.byteLength(text)).toBeLessThan(49_152)
    const shown = [...text.matchAll(/^\[(\d\.\d)\] .*\n +9\t/gm)].map(([, ref]) => ref)
    expect(shown).toEqual(['1.1', '1.2', '2.1', '3.1'])
    expect(text).toMatch(/^\[3\.3\] t:32 — lines 9-10$/m)
  })

  it('refers to a chunk of an earlier query, and shows it there', () => {
    const queries = [
      { query: 'a', hits: [hit(1, 20_000), hit(2, 20_000), hit(3, 20_000)] },
      { query: 'b', hits: [hit(3, 20_000), hit(2, 20_000)] },
    ]
    const { text } = renderSearch({ queries, notes: [], names })
    expect(text).toContain('[2.1] t:3 — lines 9-10: shown above as [1.3]')
    expect(text).toContain('[2.2] t:2 — lines 9-10: named above as [1.2]')
  })

  it('stays below 48 KB whatever it is given', () => {
    const queries = Array.from({ length: 32 }, (_, q) => ({
      query: '漢'.repeat(5000),
      hits: Array.from({ length: 20 }, (_, n) => ({ ...hit(q * 20 + n), label: `${'l'.repeat(200)}:1` })),
    }))
    const { text } = renderSearch({ queries, notes: ['n'.repeat(2000)], names })
    expect(Buffer.byteLength(text)).toBeLessThan(49_152)
    expect(text).toMatch(/\[\d+ more hits do not fit/)
  })
})
