/** Splits a text into titled sections, by its format. */

import type { Format } from './format.js'
import type { LineIndex } from './line-index.js'
import { bounded, type Section } from './section.js'
import { blockSections, recordSections } from './sections/blocks.js'
import { codeSections } from './sections/code.js'
import { csvSections } from './sections/csv.js'
import { diffSections } from './sections/diff.js'
import { htmlSections } from './sections/html.js'
import { jsonSections } from './sections/json.js'
import { markdownSections } from './sections/markdown.js'

export type { Section } from './section.js'

/**
 * In line order, at most 5,000, at least one for a text that has a line with something on it. A format without sections of its own
 * in this text (a page without headings) is split at blank lines.
 */
export function sectionsOf(text: string, lines: LineIndex, format: Format): Section[] {
  const found = SPLITTERS[format](text, lines)
  return bounded(found.length > 0 ? found : blockSections(text, lines))
}

// --- internal ---

type Splitter = (text: string, lines: LineIndex) => Section[]

const SPLITTERS: Readonly<Record<Format, Splitter>> = {
  json: jsonSections,
  ndjson: recordSections,
  markdown: markdownSections,
  html: htmlSections,
  diff: diffSections,
  csv: csvSections,
  log: recordSections,
  code: codeSections,
  plain: blockSections,
}
