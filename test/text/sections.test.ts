/** Sections and the table of contents made of them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentsOf } from '../../src/text/contents.js'
import type { Format } from '../../src/text/format.js'
import { LineIndex } from '../../src/text/line-index.js'
import { sectionsOf } from '../../src/text/sections.js'
import { shownText } from '../../src/text/shown-text.js'
import { jsonText } from '../support/json-texts.js'
import { response, responses } from '../support/responses.js'

const FORMATS: readonly Format[] = ['json', 'ndjson', 'markdown', 'html', 'diff', 'csv', 'log', 'code', 'plain']

/** `depth:line title` of each section. */
function outline(format: Format, text: string): string[] {
  return sectionsOf(text, new LineIndex(text), format).map(({ depth, line, title }) => `${depth}:${line} ${title}`)
}

const anyText = fc.oneof(
  jsonText,
  fc
    .array(
      fc.constantFrom(
        '# a',
        '## b ##',
        '```',
        '<h1>',
        '</h1>',
        '---',
        '===',
        '{"a":1',
        ']',
        ',',
        '"',
        '\\',
        'diff --git a/x b/y',
        '--- a',
        '+++ b',
        'def x():',
        '\n',
        '\n\n',
        '\r\n',
        ' ',
        '漢',
        '<!--',
        '😀',
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join('')),
)

describe('sectionsOf', () => {
  it('gives every text with something in it a section, in line order, whatever its format', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...FORMATS), (text, format) => {
        const lines = new LineIndex(text)
        const sections = sectionsOf(text, lines, format)
        if (text.trim() !== '') expect(sections.length).toBeGreaterThan(0)
        let before = 1
        for (const { title, line, depth } of sections) {
          expect(line).toBeGreaterThanOrEqual(before)
          expect(line).toBeLessThanOrEqual(lines.count)
          expect(depth).toBeGreaterThanOrEqual(1)
          expect(title.length).toBeLessThanOrEqual(120)
          expect(title).toBe(title.trim())
          expect(title).not.toMatch(/[\n\r]/)
          before = line
        }
      }),
    )
  })

  it('names Markdown headings, outside fences and front matter', () => {
    const text =
      '---\ntitle: x\n# no\n---\n# Guide\n\n## `Install` it ##\n```sh\n# no\n```\nUsage [now](http://x)\n---\n    # no\n#no\n~~~\n# no\n```\n~~~\n### A &amp; B\n- item\n---\n'
    expect(outline('markdown', text)).toEqual(['1:5 Guide', '2:7 Install it', '2:11 Usage now', '3:19 A & B'])
  })

  it('names HTML headings, outside scripts and comments', () => {
    const text =
      '<html><title>Page</title>\n<script>"<h1>no</h1>"</script>\n<h1 class="a">One <em>two</em> &lt;&#x33;&rsquo;</h1>\n<!-- <h2>no</h2> -->\n<H2>\n Three\n</H2><h3>never closed'
    expect(outline('html', text)).toEqual(['1:3 One two <3’', '2:5 Three'])
    expect(outline('html', '<html><title>Page</title><body>text')).toEqual(['1:1 Page'])
  })

  it('names JSON keys, lengths and elements with their lines', () => {
    const text =
      '{\n  "count": 2,\n  "items": [\n    {"id": 7, "name": "first"},\n    {"metadata": {"name": "second"}},\n    {"x": 1}\n  ],\n  "info": {\n    "a": "b"\n  }\n}'
    expect(outline('json', text)).toEqual([
      '1:2 count: 2',
      '1:3 items (array of 3)',
      '2:4 items[0] first',
      '2:5 items[1] second',
      '2:6 items[2] {x}',
      '1:8 info (1 key)',
      '2:9 info.a: "b"',
    ])
  })

  it('looks through JSON wrappers', () => {
    const text = '{"data":\n{"repository":\n{"issues":\n{"nodes":\n[\n{"title":"a"},\n{"title":"b"}]}}}}'
    expect(outline('json', text).slice(-3)).toEqual([
      '4:4 data.repository.issues.nodes (array of 2)',
      '5:6 data.repository.issues.nodes[0] a',
      '5:7 data.repository.issues.nodes[1] b',
    ])
  })

  it('names a JSON array and its elements', () => {
    expect(outline('json', '[\n{"name":"x"},\n3,\n{"title":"y"}]')).toEqual(['1:1 array of 3', '2:2 [0] x', '2:4 [2] y'])
  })

  it('names the files of a diff, below their commits', () => {
    const git =
      'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n--- a\n+++ b\ndiff --git a/old b/new\nsimilarity index 100%\n'
    expect(outline('diff', git)).toEqual(['1:1 src/a.ts', '1:7 old → new'])
    expect(outline('diff', `commit 0123456789abcdef0123\nAuthor: A\n\n    Fix it\n\n${git}`)).toEqual([
      '1:1 commit 0123456789 Fix it',
      '2:6 src/a.ts',
      '2:12 old → new',
    ])
    expect(outline('diff', '--- a/x\t2024\n+++ b/x\t2024\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/y\n')).toEqual([
      '1:1 x',
      '1:6 y',
    ])
  })

  it('names a CSV header and rows at the start of records', () => {
    const rows = Array.from({ length: 30 }, (_, i) => `${i},"two\nlines, here"`)
    expect(outline('csv', `id,text\n${rows.join('\n')}\n`)).toEqual([
      '1:1 id,text',
      '1:2 0,"two',
      '1:22 10,"two',
      '1:42 20,"two',
    ])
  })

  it('names definitions of code, and runs of one statement once', () => {
    const text =
      'import x from "y"\n\nexport async function one(a: number): void {\n}\n\nexport class Two {\n  function three() {}\n}\nconst four = (x) => x\nconst five = 5\n'
    expect(outline('code', text)).toEqual([
      '1:3 export async function one(a: number): void',
      '1:6 export class Two',
      '2:7 function three()',
      '1:9 const four = (x) => x',
    ])
    expect(
      outline('code', 'CREATE TABLE IF NOT EXISTS a (\n  id int\n);\nINSERT INTO a VALUES (1);\nINSERT INTO a VALUES (2);\n'),
    ).toEqual(['1:1 CREATE TABLE IF NOT EXISTS a', '1:4 INSERT INTO a'])
  })

  it('names paragraphs by their first line', () => {
    expect(outline('plain', '\nFirst one\nmore\n\n\nSecond one\n')).toEqual(['1:2 First one', '1:6 Second one'])
  })

  it('names the keys of JSON values in the midst of other text', () => {
    const value = JSON.stringify({ count: 2, items: [{ name: 'a' }, { name: 'b' }] }, null, 2)
    const names = (at: number) => [
      `1:${at} count: 2`,
      `1:${at + 1} items (array of 2)`,
      `2:${at + 2} items[0] a`,
      `2:${at + 5} items[1] b`,
    ]
    expect(outline('plain', `Result:\n${value}\n\n${value}\nDone\n{\nnot json\n}`)).toEqual([
      '1:1 Result:',
      ...names(3),
      ...names(15),
      '1:25 Done',
    ])
  })

  it('titles JSON records by time, level and message', () => {
    const line = (i: number) => `{"level":"info","time":"10:${i}","msg":"did ${i}"}`
    const text = Array.from({ length: 20 }, (_, i) => line(i + 10)).join('\n')
    expect(outline('ndjson', text)).toEqual(['1:1 10:10 info did 10', '1:11 10:20 info did 20'])
  })

  it('has at most 5,000 sections and covers the text evenly', () => {
    const headings = Array.from({ length: 20_000 }, (_, i) => `## Heading ${i}\n`).join('')
    const elements = `[${Array.from({ length: 20_000 }, (_, i) => `{"name":"n${i}"}`).join(',\n')}]`
    const keys = `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":[]`).join(',\n')}}`
    const paragraphs = Array.from({ length: 20_000 }, (_, i) => `Paragraph ${i}\n\n`).join('')
    for (const [format, text] of [
      ['markdown', headings],
      ['json', elements],
      ['json', keys],
      ['plain', paragraphs],
      ['html', headings.replace(/## (.*)/g, '<h2>$1</h2>')],
    ] as const) {
      const lines = new LineIndex(text)
      const sections = sectionsOf(text, lines, format)
      expect(sections.length).toBeLessThanOrEqual(5_000)
      expect(sections.length).toBeGreaterThan(400)
      expect(sections.filter(({ line }) => line > lines.count / 2).length / sections.length).toBeCloseTo(0.5, 1)
    }
  })

  it.skipIf(responses.length === 0)('points each title of a real response at the line that holds it', () => {
    const seen = new Map<string, number>()
    for (const name of responses) {
      const { text, format } = shownText(response(name))
      const lines = new LineIndex(text)
      const sections = sectionsOf(text, lines, format)
      seen.set(name, contentsOf(sections).entries.length)
      for (const { title, line } of sections) {
        const at = text.slice(lines.start(line), lines.end(line))
        const word = (format === 'json' ? /^\S*?([\w$]*)(?: \(|:|$)/ : /(\w+)/).exec(title)?.[1]
        if (/^\S*\[\d+\](?: |$)/.test(title)) expect(at.trimStart()).toMatch(/^[{[]/)
        else if (word && format !== 'ndjson')
          expect(`${at}\n${text.slice(lines.end(line), lines.end(line + 5))}`).toContain(word)
      }
    }
    for (const count of seen.values()) expect(count).toBeLessThanOrEqual(40)
    expect(seen.get('kubectl-pods.json')).toBe(15)
  })
})

describe('contentsOf', () => {
  const sections = (depths: string) => [...depths].map((depth, i) => ({ title: `s${i}`, line: i + 1, depth: Number(depth) }))
  const shown = (depths: string, max: number) => {
    const { entries, omitted } = contentsOf(sections(depths), max)
    return { lines: entries.map(({ line }) => line), omitted }
  }

  it('names all when they fit', () => {
    expect(shown('1213', 10)).toEqual({ lines: [1, 2, 3, 4], omitted: 0 })
  })

  it('leaves out the levels that do not fit and keeps line order', () => {
    expect(shown('1212213', 5)).toEqual({ lines: [1, 3, 6], omitted: 4 })
  })

  it('fills up with the next level when else it would be nearly empty', () => {
    expect(shown('1222222222', 5)).toEqual({ lines: [1, 2, 3, 4, 5], omitted: 5 })
  })

  it('cuts a first level that is too long', () => {
    expect(shown('2222222', 3)).toEqual({ lines: [1, 2, 3], omitted: 4 })
  })

  it('names at most forty and counts the rest', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 200 }), (depths) => {
        const all = sections(depths.join(''))
        const { entries, omitted } = contentsOf(all)
        expect(entries.length).toBeLessThanOrEqual(40)
        expect(entries.length + omitted).toBe(all.length)
        if (all.length > 0) expect(entries.length).toBeGreaterThan(0)
      }),
    )
  })
})
