/** Numbers lines as IndexRead and IndexSearch show them: right-aligned, a tab, the text. */

/** One line, or one part of a long line. */
export interface Row {
  readonly line: number
  /** From 1; 0 for a line that is shown whole. */
  readonly part: number
  readonly text: string
}

/** `41`, or `7-3` for the third part of line 7. */
export function rowNumber(row: Pick<Row, 'line' | 'part'>): string {
  return row.part > 0 ? `${row.line}-${row.part}` : String(row.line)
}

export function renderRows(rows: readonly Row[]): string {
  const width = Math.max(0, ...rows.map((row) => rowNumber(row).length))
  return rows.map((row) => `${rowNumber(row).padStart(width)}\t${row.text}`).join('\n')
}
