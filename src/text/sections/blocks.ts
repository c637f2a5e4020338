/** Sections of texts without headings: paragraphs of prose, stretches of a log or of records. */

import { isOpener } from '../json-scan.js'
import type { LineIndex } from '../line-index.js'
import { asTitle, evenly, MAX_SECTIONS, type Section } from '../section.js'
import { EmbeddedJson } from './embedded-json.js'
import { RECORD_REACH, recordTitle } from './record-title.js'

/**
 * Blocks between blank lines, long ones split; of many, some forty evenly spread have depth 1, the rest 2. A JSON value of several
 * lines in their midst has its own sections.
 */
export function blockSections(text: string, lines: LineIndex): Section[] {
  const { starts, embedded } = blocksOf(text, lines)
  const kept = evenly(starts, MAX_SECTIONS)
  const step = Math.ceil(kept.length / SHOWN)
  const blocks = kept.map((line, n) => ({ title: titleAt(text, lines, line), line, depth: n % step === 0 ? 1 : 2 }))
  return embedded.length === 0 ? blocks : [...blocks, ...embedded].sort((a, b) => a.line - b.line)
}

/** Stretches of as many lines each, titled by what tells their first line from others: its time, level, message. */
export function recordSections(text: string, lines: LineIndex): Section[] {
  const sections: Section[] = []
  const perBlock = Math.max(MIN_RECORDS, Math.ceil(lines.count / SHOWN))
  for (let next = 1; next <= lines.count; next += perBlock) {
    const line = filledLine(text, lines, next, Math.min(lines.count, next + perBlock - 1))
    if (line > 0) sections.push({ title: titleAt(text, lines, line), line, depth: 1 })
  }
  return sections
}

// --- internal ---

/** What a table of contents has room for. */
const SHOWN = 40
const MIN_RECORDS = 10
/** A block of more lines than this, and than its share of so many parts, is split. */
const MAX_BLOCK = 40
const PARTS = 30
const TITLE_REACH = 5
const WORD = /[\p{L}\p{N}]{2}|[\u3000-\uffff]/u

/** The first line of each block, and the sections of the JSON values among them. */
function blocksOf(text: string, lines: LineIndex): { starts: number[]; embedded: Section[] } {
  const json = new EmbeddedJson(text, lines)
  const embedded: Section[] = []
  const share = Math.max(MAX_BLOCK, Math.ceil(lines.count / PARTS))
  const starts: number[] = []
  let begun = 0
  for (let line = 1; line <= lines.count; line++) {
    const value = isOpener(text.charCodeAt(lines.start(line))) ? json.at(line) : undefined
    if (value) {
      for (const section of value.sections) embedded.push(section)
      line = value.lastLine
      begun = 0
    } else if (isBlank(text, lines.start(line), lines.end(line))) begun = 0
    else if (begun === 0 || line - begun >= share) {
      starts.push(line)
      begun = line
    }
  }
  return { starts, embedded }
}

function filledLine(text: string, lines: LineIndex, from: number, to: number): number {
  for (let line = from; line <= to; line++) if (!isBlank(text, lines.start(line), lines.end(line))) return line
  return 0
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (text.charCodeAt(i) > 0x20 && text.charCodeAt(i) !== 0xa0) return false
  return true
}

/** The line as a title, or the next one that has a word, where it has none (`},`). */
function titleAt(text: string, lines: LineIndex, line: number): string {
  for (let near = line; near <= Math.min(lines.count, line + TITLE_REACH); near++) {
    const title = titleOf(text, lines, near)
    if (WORD.test(title)) return title
  }
  return titleOf(text, lines, line)
}

function titleOf(text: string, lines: LineIndex, line: number): string {
  const start = lines.start(line)
  return asTitle(recordTitle(text.slice(start, Math.min(lines.end(line), start + RECORD_REACH))))
}
