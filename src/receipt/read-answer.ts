/** What IndexRead answers: numbered lines, and where to go on. */
import { utf8Length } from '../base/utf8.js'
import { type Row, renderRows, rowNumber } from './numbered-rows.js'

export interface ReadWindow {
  /** Rows from the offset on; read only as far as the answer goes. */
  readonly rows: Iterable<Row & { readonly endsLine: boolean }>
  readonly totalLines: number
  /** Whole lines; a line in parts counts as one. */
  readonly limit: number
  /** The answer stays below this many UTF-8 bytes; one row is always shown. */
  readonly maxBytes: number
}

export function renderRead(window: ReadWindow): string {
  const shown: Row[] = []
  let whole = 0
  let next: Row | undefined
  let textBytes = 0
  let width = 0
  for (const row of window.rows) {
    width = Math.max(width, rowNumber(row).length)
    textBytes += utf8Length(row.text)
    const bytes = textBytes + (shown.length + 1) * (width + ROW_MARKS) + TRAILER_BYTES
    if (whole >= window.limit || (shown.length > 0 && bytes >= window.maxBytes)) {
      next = row
      break
    }
    shown.push(row)
    if (row.endsLine) whole++
  }
  const text = renderRows(shown)
  return next ? `${text}\n${trailer(window.totalLines - next.line + 1, rowNumber(next))}` : text
}

// --- internal ---

/** A tab and a line break. */
const ROW_MARKS = 2
const TRAILER_BYTES = 96

function trailer(left: number, offset: string): string {
  return `[${left} more lines — continue with offset="${offset}"]`
}
