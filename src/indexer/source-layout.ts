/** Lays the text parts of a response out as one source: shown text, lines, sections, chunks. */
import { utf8Length } from '../base/utf8.js'
import { type PreviewLine, renderBase64 } from '../receipt/receipt.js'
import type { NewChunk, StoredPart } from '../store/session-store.js'
import { type Base64Kind, base64Kind } from '../text/base64.js'
import { chunksOf } from '../text/chunks.js'
import type { Format } from '../text/format.js'
import { LineIndex } from '../text/line-index.js'
import { type Section, sectionsOf } from '../text/sections.js'
import { shownText } from '../text/shown-text.js'

/** A text of a response as the upstream sent it. */
export interface RawPart {
  readonly text: string
  readonly mimeType?: string
  readonly uri?: string
  /** Names the part in the contents; the part of a single-part source needs none. */
  readonly title?: string
}

export interface SourceLayout {
  readonly text: string
  readonly lines: LineIndex
  /** UTF-8 bytes that are kept: the shown text, and the originals that differ from it. */
  readonly heldBytes: number
  readonly parts: readonly StoredPart[]
  readonly sections: readonly Section[]
  preview(): Iterable<PreviewLine>
  /** Lazy: a large text is cut as it is indexed. */
  chunks(): Iterable<NewChunk>
}

/** Lays parts out in their order, a blank line between two of them; each is shown on its own. */
export function layOutSource(raw: readonly RawPart[]): SourceLayout {
  const parts: LaidPart[] = []
  let text = ''
  let lineCount = 0
  for (const part of raw) {
    const { gap, ...laid } = layOutPart(part, text, lineCount)
    parts.push(laid)
    text += gap + laid.text
    lineCount = laid.linesBefore + laid.lines.count
  }
  return {
    text,
    lines: parts.length === 1 && parts[0] ? parts[0].lines : new LineIndex(text),
    heldBytes: utf8Length(text) + parts.reduce((sum, part) => sum + (part.changed ? utf8Length(part.original) : 0), 0),
    parts: parts.map(storedPart),
    sections: parts.flatMap(sectionsIn),
    preview: () => previewLines(parts),
    chunks: () => chunksIn(parts),
  }
}

// --- internal ---

interface LaidPart extends RawPart {
  /** As it is shown. */
  readonly text: string
  readonly original: string
  readonly changed: boolean
  readonly format: Format
  readonly lines: LineIndex
  /** Its own, counted in its own lines. */
  readonly sections: readonly Section[]
  /** Offset in the source's text. */
  readonly start: number
  /** Lines of the source in front of it. */
  readonly linesBefore: number
  readonly base64?: Base64Kind
}

/** @param before the text and number of lines of the source in front of the part */
function layOutPart(part: RawPart, before: string, lineCount: number): LaidPart & { readonly gap: string } {
  const shown = shownText(part.text, part.mimeType)
  const lines = new LineIndex(shown.text)
  const gap = before === '' || lines.count === 0 ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  const base64 = base64Kind(part.text)
  return {
    ...part,
    ...shown,
    original: part.text,
    lines,
    sections: base64 ? [] : sectionsOf(shown.text, lines, shown.format),
    gap,
    start: before.length + gap.length,
    linesBefore: lineCount + (gap === '' ? 0 : 1),
    ...(base64 && { base64 }),
  }
}

function storedPart({ text, original, changed, format, start, mimeType, uri }: LaidPart): StoredPart {
  return {
    start,
    end: start + text.length,
    mimeType: mimeType ?? (format === 'json' ? 'application/json' : 'text/plain'),
    ...(uri !== undefined && { uri }),
    ...(changed && { original }),
  }
}

/** The part's own sections; under its title where it has one. */
function sectionsIn(part: LaidPart): Section[] {
  const { linesBefore, title, base64 } = part
  const depth = title === undefined ? 0 : 1
  const head = title === undefined ? [] : [{ title, line: linesBefore + 1, depth: 1 }]
  if (base64) return [...head, { title: renderBase64(base64), line: linesBefore + 1, depth: 1 + depth }]
  return [
    ...head,
    ...part.sections.map((section) => ({ ...section, line: section.line + linesBefore, depth: section.depth + depth })),
  ]
}

function* previewLines(parts: readonly LaidPart[]): Generator<PreviewLine> {
  let line = 0
  for (const { text, lines, linesBefore, base64 } of parts) {
    if (lines.count === 0) continue
    if (linesBefore > line) yield { line: linesBefore, text: '' }
    line = linesBefore + lines.count
    if (base64) yield { line, text: renderBase64(base64) }
    else for (let n = 1; n <= lines.count; n++) yield { line: linesBefore + n, text: text.slice(lines.start(n), lines.end(n)) }
  }
}

function* chunksIn(parts: readonly LaidPart[]): Generator<NewChunk> {
  for (const { text, lines, format, sections, start, linesBefore, title, base64 } of parts) {
    if (base64) continue
    for (const chunk of chunksOf(text, lines, format, sections)) {
      yield {
        start: start + chunk.start,
        end: start + chunk.end,
        firstLine: linesBefore + chunk.firstLine,
        lastLine: linesBefore + chunk.lastLine,
        title: [title, chunk.title].filter(Boolean).join(' > '),
        text: text.slice(chunk.start, chunk.end),
      }
    }
  }
}
