/** Sections of HTML: its headings, outside scripts, styles and comments. */

import { decodeEntities } from '../entities.js'
import type { LineIndex } from '../line-index.js'
import { asTitle, type Section } from '../section.js'

/** Headings h1 to h6; the page's title where there are none. */
export function htmlSections(text: string, lines: LineIndex): Section[] {
  const sections: Section[] = []
  let pageTitle: Section | undefined
  const opening = new RegExp(OPENING)
  const unclosed = new Set<string>()
  let close = -1
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    const [tag, name = ''] = found
    if (name === '' || SKIPPED.has(name.toLowerCase())) {
      const end = unclosed.has(name) ? -1 : skipped(text, opening.lastIndex, name)
      if (end < 0) unclosed.add(name)
      else opening.lastIndex = end
      continue
    }
    const from = opening.lastIndex
    if (close < from) close = indexOfClosing(text, from)
    const title = close - from > REACH ? '' : asTitle(decodeEntities(text.slice(from, close).replace(/<[^>]*>/g, ' ')))
    if (title === '') continue
    const section = { title, line: lines.lineAt(from - tag.length), depth: Number(name.slice(1)) || 1 }
    if (name.toLowerCase() === 'title') pageTitle ??= section
    else sections.push(section)
  }
  return sections.length === 0 && pageTitle ? [pageTitle] : sections
}

// --- internal ---

const OPENING = /<!--|<(h[1-6]|title|script|style|template|svg)(?=[\s>])[^<>]{0,2000}>/gi
const SKIPPED = new Set(['script', 'style', 'template', 'svg'])
const CLOSING = /<\/(?:h[1-6]|title)\s*>/gi
/** A heading whose end tag does not follow within so many characters is none. */
const REACH = 4_000

/** Where the next end tag of a heading starts; the far end of the numbers when there is none. */
function indexOfClosing(text: string, from: number): number {
  const closing = new RegExp(CLOSING)
  closing.lastIndex = from
  return closing.exec(text)?.index ?? Number.POSITIVE_INFINITY
}

/** The offset behind a comment (no name) or an element whose content is no text; -1 when it is never closed. */
function skipped(text: string, from: number, name: string): number {
  if (name === '') {
    const end = text.indexOf('-->', from)
    return end < 0 ? -1 : end + 3
  }
  const closing = new RegExp(`</${name}\\s*>`, 'gi')
  closing.lastIndex = from
  return closing.test(text) ? closing.lastIndex : -1
}
