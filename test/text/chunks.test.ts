/** Chunks tile a text. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { utf8Length } from '../../src/base/utf8.js'
import { type Chunk, chunksOf } from '../../src/text/chunks.js'
import { detectFormat, type Format } from '../../src/text/format.js'
import { LineIndex } from '../../src/text/line-index.js'
import { sectionsOf } from '../../src/text/sections.js'
import { shownText } from '../../src/text/shown-text.js'
import { jsonText } from '../support/json-texts.js'
import { response, responses } from '../support/responses.js'

function chunks(text: string, format: Format = detectFormat(text)): Chunk[] {
  const lines = new LineIndex(text)
  return [...chunksOf(text, lines, format, sectionsOf(text, lines, format))]
}

function expectTiles(text: string, found: readonly Chunk[]): void {
  const lines = new LineIndex(text)
  let at = 0
  for (const { start, end, firstLine, lastLine, title } of found) {
    expect(start).toBe(at)
    expect(end).toBeGreaterThan(start)
    expect(firstLine).toBe(lines.lineAt(start))
    expect(lastLine).toBe(lines.lineAt(end - 1))
    expect(title.length).toBeLessThanOrEqual(200)
    at = end
  }
  expect(at).toBe(text.length)
}

const piece = fc.oneof(
  fc.constantFrom(
    '\n',
    '\n\n',
    '\r\n',
    '# Title\n',
    '## Sub\n\n',
    '漢字'.repeat(300),
    '😀'.repeat(500),
    'x'.repeat(2_500),
    '\\n'.repeat(900),
    '\n'.repeat(3_000),
  ),
  fc.lorem({ maxCount: 60 }),
)
const anyText = fc.array(piece, { maxLength: 25 }).map((parts) => parts.join(''))

describe('chunksOf', () => {
  it('tiles any text without gaps', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom<Format>('markdown', 'plain', 'log', 'code'), (text, format) =>
        expectTiles(text, chunks(text, format)),
      ),
    )
    fc.assert(fc.property(jsonText, (text) => expectTiles(text, chunks(text, 'json'))))
  })

  it('has no chunk over about 2,000 bytes, cut at code points', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { start, end } of chunks(text)) {
          const part = text.slice(start, end)
          expect(part.isWellFormed()).toBe(true)
          expect(utf8Length(part)).toBeLessThanOrEqual(6_000)
        }
      }),
    )
  })

  it('is lazy', () => {
    const text = 'line of words\n'.repeat(50_000)
    const lines = new LineIndex(text)
    const [first] = chunksOf(text, lines, 'plain', sectionsOf(text, lines, 'plain'))
    expect(first?.start).toBe(0)
  })

  it('starts chunks at headings and titles them by the path of headings', () => {
    const body = `${'Some words about it. '.repeat(30)}\n\n`
    const found = chunks(
      `# Guide\n\n${body}## Install\n\n${body}${body}${body}${body}### Linux\n\n${body}# Other\n\n${body}`,
      'markdown',
    )
    const titles = [...new Set(found.map(({ title }) => title))]
    expect(titles).toEqual(['Guide', 'Guide > Install', 'Guide > Install > Linux', 'Other'])
  })

  it('titles chunks of JSON by their path, inside a long string too', () => {
    const long = 'words and words, '.repeat(400)
    const text = JSON.stringify(
      {
        items: [
          { id: 1, body: long },
          { id: 2, labels: [{ name: long }] },
        ],
        last: long,
      },
      null,
      2,
    )
    const titles = [...new Set(chunks(text, 'json').map(({ title }) => title))]
    expect(titles.filter((title) => title.includes('items[') || title === 'last')).toEqual(
      expect.arrayContaining(['items[0].body', 'items[1]', 'items[1].labels[0].name', 'last']),
    )
    expect(titles.indexOf('items[0].body')).toBeLessThan(titles.indexOf('items[1]'))
  })

  it('cuts a long line at white space', () => {
    const text = 'word '.repeat(2_000)
    for (const { start, end } of chunks(text)) expect(text.slice(start, end)).toMatch(/^word .*word $/)
  })

  it('makes no crumbs before the end of a section', () => {
    const text = 'A line of text that is here.\n'.repeat(72)
    const sizes = chunks(text).map(({ start, end }) => end - start)
    expect(Math.min(...sizes)).toBeGreaterThan(400)
  })

  it.skipIf(responses.length === 0)('cuts real responses into chunks of a searchable size', () => {
    for (const name of responses) {
      const { text, format } = shownText(response(name))
      const found = chunks(text, format)
      expectTiles(text, found)
      const bytes = found.map(({ start, end }) => utf8Length(text.slice(start, end)))
      expect(Math.max(...bytes)).toBeLessThanOrEqual(2_600)
    }
  })
})
