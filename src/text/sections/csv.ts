/** Sections of CSV and TSV: the header, then blocks of rows. */

import type { LineIndex } from '../line-index.js'
import { asTitle, type Section } from '../section.js'

export function csvSections(text: string, lines: LineIndex): Section[] {
  if (lines.count === 0) return []
  const sections: Section[] = [{ title: asTitle(text.slice(0, lines.end(1))), line: 1, depth: 1 }]
  const perBlock = Math.max(MIN_ROWS, Math.ceil((lines.count - 1) / BLOCKS))
  const quotes = new Quotes(text)
  let row = 1
  for (let line = 2; line <= lines.count; line++) {
    if (quotes.openAt(lines.start(line))) continue
    if (row++ % perBlock !== 1) continue
    const title = asTitle(text.slice(lines.start(line), lines.end(line)))
    if (title !== '') sections.push({ title, line, depth: 1 })
  }
  return sections
}

// --- internal ---

const BLOCKS = 38
const MIN_ROWS = 10
const QUOTE = '"'

/** Whether an offset lies inside a quoted field; asked in ascending order. */
class Quotes {
  readonly #text: string
  #next: number
  #open = false

  constructor(text: string) {
    this.#text = text
    this.#next = text.indexOf(QUOTE)
  }

  openAt(offset: number): boolean {
    while (this.#next >= 0 && this.#next < offset) {
      this.#open = !this.#open
      this.#next = this.#text.indexOf(QUOTE, this.#next + 1)
    }
    return this.#open
  }
}
