/** The receipt: what the model gets in place of a response that was indexed. */
import { ellipsize, headWithin, utf8Length } from '../base/utf8.js'
import type { ToolNames } from '../protocol/session-api.js'

export interface ReceiptFacts {
  readonly label: string
  /** UTF-8 bytes of the response's text. */
  readonly bytes: number
  /** Lines as IndexRead numbers them. */
  readonly lines: number
  /** The text's lines from the first on; read only as far as the preview goes. `line` is where each one ends. */
  readonly preview: Iterable<PreviewLine>
  readonly contents: ReceiptContents
  readonly names: ToolNames
}

export interface PreviewLine {
  readonly line: number
  readonly text: string
}

export interface ReceiptContents {
  readonly entries: readonly { readonly title: string; readonly line: number }[]
  readonly omitted: number
}

export function renderReceipt(facts: ReceiptFacts): string {
  const { label, bytes, lines, contents, names } = facts
  const preview = previewOf(facts.preview)
  return [
    `[Response compressed — ${bytes} bytes, ${lines} lines, indexed as "${label}"]`,
    '',
    preview.text,
    `[… preview ends at line ${preview.line} of ${lines}]`,
    '',
    ...contentsLines(contents),
    `Read all of it: ${names.read}(label="${label}", limit=${lines})`,
    `Read a range:   ${names.read}(label="${label}", offset="<line>", limit=<lines>)`,
    `Search it:      ${names.search}(queries=["<terms>"], source="${label}")`,
  ].join('\n')
}

/** Stands where the middle of a text was left out that is in the index. */
export function renderCutMarker(cut: {
  readonly missing: number
  readonly total: number
  readonly label: string
  readonly names: ToolNames
}): string {
  const { missing, total, label, names } = cut
  return [
    `[… ${missing} of ${total} characters are left out here; all of it is indexed as "${label}"`,
    `Read it: ${names.read}(label="${label}")   Search it: ${names.search}(queries=["<terms>"], source="${label}") …]`,
  ].join('\n')
}

/** The one line that stands for a text of base64, whose characters say nothing. */
export function renderBase64({ mimeType, bytes }: { readonly mimeType: string | undefined; readonly bytes: number }): string {
  return `[base64 ${mimeType ?? 'data'}, ${bytes.toLocaleString('en-US')} bytes decoded]`
}

// --- internal ---

const PREVIEW_BYTES = 2048
const MAX_ENTRY_CHARS = 120

/** Whole lines up to 2 KB; where a long line leaves less than half of that, its beginning too. */
function previewOf(lines: Iterable<PreviewLine>): PreviewLine {
  const shown: string[] = []
  let left = PREVIEW_BYTES
  let last = 0
  for (const { line, text } of lines) {
    const bytes = utf8Length(text) + 1
    const whole = bytes <= left + 1
    if (!whole && left < PREVIEW_BYTES / 2) break
    shown.push(whole ? text : headWithin(text, left))
    last = line
    if (!whole) break
    left -= bytes
  }
  return { line: last, text: shown.join('\n') }
}

function contentsLines({ entries, omitted }: ReceiptContents): string[] {
  if (entries.length === 0) return []
  const listed = entries.map(({ title, line }) => `- [L${line}] ${ellipsize(title, MAX_ENTRY_CHARS)}`)
  return ['## Contents', ...listed, ...(omitted > 0 ? [`… ${omitted} more sections`] : []), '']
}
