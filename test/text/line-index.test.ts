/** Lines and where they stand. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineIndex } from '../../src/text/line-index.js'

const text = fc
  .array(fc.constantFrom('a', '\n', '\r\n', '\r', '漢', '😀', 'word '), { maxLength: 40 })
  .map((parts) => parts.join(''))

function linesOf(text: string): string[] {
  const parts = text.split('\n')
  if (parts[parts.length - 1] === '') parts.pop()
  return parts
}

describe('LineIndex', () => {
  it('finds the lines of any text, whose final newline makes no line', () => {
    fc.assert(
      fc.property(text, (text) => {
        const index = new LineIndex(text)
        const lines = Array.from({ length: index.count }, (_, i) => text.slice(index.start(i + 1), index.end(i + 1)))
        expect(lines).toEqual(linesOf(text))
      }),
    )
  })

  it('knows the line of every offset, a newline belonging to the line it ends', () => {
    fc.assert(
      fc.property(text, (text) => {
        const index = new LineIndex(text)
        for (let at = 0; at < text.length; at++) expect(index.lineAt(at)).toBe(text.slice(0, at).split('\n').length)
      }),
    )
  })

  it('has no lines in the empty text', () => {
    const index = new LineIndex('')
    expect([index.count, index.start(1), index.end(1), index.lineAt(0)]).toEqual([0, 0, 0, 0])
  })

  it('takes lines and offsets outside the text as the nearest inside', () => {
    const index = new LineIndex('ab\ncd\n')
    expect([index.start(0), index.start(9), index.end(9), index.lineAt(-5), index.lineAt(99)]).toEqual([0, 3, 5, 1, 2])
  })

  it('grows with many short lines', () => {
    const index = new LineIndex('\n'.repeat(100_000))
    expect([index.count, index.start(100_000), index.end(100_000)]).toEqual([100_000, 99_999, 99_999])
  })
})
