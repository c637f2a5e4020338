/** Cuts a text into the pieces that are indexed, ranked and shown as hits. */

import { ellipsize, safeCut, utf8Length } from '../base/utf8.js'
import type { Format } from './format.js'
import { JsonPath } from './json-path.js'
import type { LineIndex } from './line-index.js'
import type { Section } from './section.js'

export interface Chunk {
  readonly start: number
  /** Exclusive. */
  readonly end: number
  readonly firstLine: number
  readonly lastLine: number
  /** Where it stands (`Guide > Install`, `items[12].labels`), at most 200 characters. */
  readonly title: string
}

/**
 * Chunks that tile the text in order. A chunk has 400 to 2,000 bytes of UTF-8 (about; less at the end of a section), starts where a
 * section starts if it can, else behind a blank line, else behind a line, else at white space or punctuation inside a long line.
 */
export function* chunksOf(text: string, lines: LineIndex, format: Format, sections: readonly Section[]): Generator<Chunk> {
  const headings = new HeadingPath(sections, NESTED.has(format))
  const path = format === 'json' ? new JsonPath(text) : undefined
  const cutter = new Cutter(text, lines, sections)
  let start = 0
  while (start < text.length) {
    const end = cutter.endOf(start)
    const firstLine = lines.lineAt(start)
    const title = path?.at(start) || headings.at(firstLine)
    yield { start, end, firstLine, lastLine: lines.lineAt(end - 1), title: ellipsize(title, MAX_TITLE) }
    start = end
  }
}

// --- internal ---

/** Elsewhere depth says how much a section matters to a table of contents, not what it stands under. */
const NESTED: ReadonlySet<Format> = new Set(['markdown', 'html', 'diff', 'code'])
const MAX_TITLE = 200
const MIN_BYTES = 400
const MAX_BYTES = 2_000

class Cutter {
  readonly #text: string
  readonly #lines: LineIndex
  readonly #sections: readonly Section[]
  #next = 0

  constructor(text: string, lines: LineIndex, sections: readonly Section[]) {
    this.#text = text
    this.#lines = lines
    this.#sections = sections
  }

  endOf(start: number): number {
    const text = this.#text
    const density = utf8Length(text.slice(start, start + MAX_BYTES)) / Math.min(MAX_BYTES, text.length - start)
    const min = Math.max(1, Math.floor(MIN_BYTES / density))
    const max = Math.max(2, Math.floor(MAX_BYTES / density))
    const boundary = this.#boundaryFrom(start + min)
    if (boundary - start <= max) return boundary
    // Not so much that a crumb is left before the section's end.
    const limit = boundary - start < max + min ? Math.ceil((boundary - start) / 2) : max
    return this.#softCut(start, Math.min(min, limit - 1), limit)
  }

  /** The first start of a section at or behind `at`, or the text's end. */
  #boundaryFrom(at: number): number {
    for (; this.#next < this.#sections.length; this.#next++) {
      const offset = this.#lines.start(this.#sections[this.#next]?.line ?? 1)
      if (offset >= at) return offset
    }
    return this.#text.length
  }

  #softCut(start: number, min: number, limit: number): number {
    const text = this.#text
    const window = text.slice(start, start + limit)
    const blank = lastBlankLine(window)
    if (blank >= Math.max(min, limit * 0.4)) return start + blank
    const line = window.lastIndexOf('\n') + 1
    if (line >= min) return start + line
    const space = lastBreak(window)
    const cut = safeCut(text, start + (space >= min ? space : limit))
    return cut > start ? cut : start + limit
  }
}

/** The offset behind the last blank line of a window, 0 if it has none. */
function lastBlankLine(window: string): number {
  const at = Math.max(window.lastIndexOf('\n\n'), window.lastIndexOf('\n\r\n'))
  return at < 0 ? 0 : window.indexOf('\n', at + 1) + 1
}

/** The offset behind the window's last white space, else behind its last punctuation, 0 if it has neither. */
function lastBreak(window: string): number {
  const sentence = lastIndexBehind(window, /[.!?。！？][\s"”』」]*|\n/g, window.length >> 1)
  if (sentence > 0) return sentence
  const space = lastIndexBehind(window, /\s/g, window.length >> 1)
  return space > 0 ? space : lastIndexBehind(window, /[,;:)\]}>，、；：]/g, window.length >> 1)
}

/** The offset behind the last match at or behind `from`, 0 if there is none. */
function lastIndexBehind(window: string, pattern: RegExp, from: number): number {
  let last = 0
  pattern.lastIndex = from
  while (pattern.test(window)) last = pattern.lastIndex
  return last
}

/** The headings a line stands under, asked in ascending order. */
class HeadingPath {
  readonly #sections: readonly Section[]
  readonly #nested: boolean
  #next = 0
  #open: Section[] = []

  constructor(sections: readonly Section[], nested: boolean) {
    this.#sections = sections
    this.#nested = nested
  }

  at(line: number): string {
    for (let section = this.#sections[this.#next]; section && section.line <= line; section = this.#sections[++this.#next]) {
      const depth = this.#nested ? section.depth : 0
      this.#open = [...this.#open.filter((open) => open.depth < depth), section]
    }
    return this.#open.map(({ title }) => title).join(' > ')
  }
}
