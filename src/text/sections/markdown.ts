/** Sections of Markdown: its headings (ATX and setext), outside code fences, front matter and comments. */

import { decodeEntities } from '../entities.js'
import type { LineIndex } from '../line-index.js'
import { asTitle, type Section } from '../section.js'

export function markdownSections(text: string, lines: LineIndex): Section[] {
  const sections: Section[] = []
  let fence = ''
  for (let line = afterFrontMatter(text, lines); line <= lines.count; line++) {
    const at = indentEnd(text, lines.start(line))
    if (at < 0) continue
    const mark = text.charCodeAt(at)
    if (mark === BACKTICK || mark === TILDE) {
      fence = fenceAfter(fence, text.slice(at, lines.end(line)))
    } else if (fence !== '') {
      // Inside a fence nothing is a heading.
    } else if (mark === HASH) {
      const found = ATX.exec(text.slice(at, Math.min(lines.end(line), at + REACH)))
      if (found?.[1]) push(sections, found[2] ?? '', line, found[1].length)
    } else if ((mark === EQUALS || mark === DASH) && UNDERLINE.test(text.slice(at, Math.min(lines.end(line), at + REACH)))) {
      const title = paragraphBefore(text, lines, line)
      if (title) push(sections, title, line - 1, mark === EQUALS ? 1 : 2)
    }
  }
  return sections
}

// --- internal ---

const HASH = 0x23
const DASH = 0x2d
const EQUALS = 0x3d
const BACKTICK = 0x60
const TILDE = 0x7e
const SPACE = 0x20
/** A longer line is no heading. */
const REACH = 2_000
const ATX = /^(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?\s*$/
const UNDERLINE = /^(?:=+|-{2,})\s*$/
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/
const FRONT_MATTER_REACH = 200

/** The first line behind a leading `---` … `---` block. */
function afterFrontMatter(text: string, lines: LineIndex): number {
  if (!/^\ufeff?---[ \t]*\r?\n/.test(text)) return 1
  for (let line = 2; line <= Math.min(lines.count, FRONT_MATTER_REACH); line++) {
    if (/^(?:---|\.\.\.)\s*$/.test(text.slice(lines.start(line), Math.min(lines.end(line), lines.start(line) + 10))))
      return line + 1
  }
  return 1
}

/** The offset behind at most three spaces, or -1 where the line is indented code. */
function indentEnd(text: string, start: number): number {
  let at = start
  while (at - start < 4 && text.charCodeAt(at) === SPACE) at++
  return at - start < 4 ? at : -1
}

/** The open fence's marks after a line that starts with a backtick or a tilde; '' when none is open. */
function fenceAfter(open: string, line: string): string {
  const marks = FENCE.exec(line.trimEnd())?.[1] ?? ''
  if (open === '') return marks
  const closes = marks.startsWith(open) && marks.length === line.trimEnd().length
  return closes ? '' : open
}

/** The line above a setext underline, if that is a paragraph. */
function paragraphBefore(text: string, lines: LineIndex, line: number): string | undefined {
  if (line < 2) return undefined
  const start = lines.start(line - 1)
  const before = text.slice(start, Math.min(lines.end(line - 1), start + REACH))
  return /^ {0,3}(?![-+*>|#=<`~]|\d+[.)]\s)\S/.test(before) ? before : undefined
}

function push(sections: Section[], markup: string, line: number, depth: number): void {
  const title = asTitle(withoutMarkup(markup))
  if (title !== '') sections.push({ title, line, depth })
}

function withoutMarkup(markup: string): string {
  if (!/[[<&*`\\{]/.test(markup)) return markup
  return decodeEntities(
    markup
      .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
      .replace(/<\/?[a-zA-Z][^>]*>/g, '')
      .replace(/\{#[^}]*\}\s*$/, '')
      .replace(/\*\*|`/g, '')
      .replace(/\\([\\*_[\]<>#`])/g, '$1'),
  )
}
