import { describe, expect, it } from 'vitest'
import { renderBase64, renderReceipt } from '../../src/receipt/receipt.js'

const facts = {
  label: 'fs__read:3',
  bytes: 34_176,
  lines: 233,
  preview: [{ line: 1, text: 'one' }],
  contents: { entries: [], omitted: 0 },
  names: { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' },
}

describe('a receipt', () => {
  it('leaves out the contents of a text without sections', () => {
    expect(renderReceipt(facts)).toBe(
      [
        '[Response compressed — 34176 bytes, 233 lines, indexed as "fs__read:3"]',
        '',
        'one',
        '[… preview ends at line 1 of 233]',
        '',
        'Read all of it: IndexRead(label="fs__read:3", limit=233)',
        'Read a range:   IndexRead(label="fs__read:3", offset="<line>", limit=<lines>)',
        'Search it:      IndexSearch(queries=["<terms>"], source="fs__read:3")',
      ].join('\n'),
    )
  })

  it('lists sections with their lines and how many it leaves out', () => {
    const contents = { entries: [{ title: 't'.repeat(300), line: 42 }], omitted: 7 }
    expect(renderReceipt({ ...facts, contents })).toContain(
      `\n\n## Contents\n- [L42] ${'t'.repeat(119)}…\n… 7 more sections\n\nRead all`,
    )
  })

  it('shows whole lines of at most 2 KB together', () => {
    const preview = Array.from({ length: 50 }, (_, n) => ({ line: n + 1, text: 'é'.repeat(127) }))
    expect(renderReceipt({ ...facts, preview })).toContain('é\n[… preview ends at line 8 of 233]')
  })

  it('cuts a first line of more than 2 KB between characters', () => {
    const preview = [{ line: 1, text: `x${'😀'.repeat(1000)}` }]
    expect(renderReceipt({ ...facts, preview }).isWellFormed()).toBe(true)
  })

  it('writes the size of base64 with thousands marked', () => {
    expect(renderBase64({ mimeType: 'image/png', bytes: 299_886 })).toBe('[base64 image/png, 299,886 bytes decoded]')
    expect(renderBase64({ mimeType: undefined, bytes: 1200 })).toBe('[base64 data, 1,200 bytes decoded]')
  })
})
