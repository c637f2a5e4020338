/** Tables and bars of plain text. */

/** Rows under their heads, two spaces between the columns; the first column and those of no number stand left. */
export function renderColumns(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) => Math.max(...[head, ...rows.map((row) => row[i] ?? '')].map((cell) => cell.length)))
  const isNumber = heads.map((_, i) => i > 0 && rows.every((row) => NUMBER.test(row[i] ?? '')))
  const line = (cells: readonly string[]) => {
    const padded = cells.map((cell, i) => (isNumber[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
    return `  ${padded.join('  ')}`.trimEnd()
  }
  return [heads, ...rows].map((cells) => `${line(cells)}\n`).join('')
}

/** A bar as long as `value` is of `max`; nothing for what is not above 0. */
export function bar(value: number, max: number): string {
  return value > 0 && max > 0 ? '█'.repeat(Math.max(1, Math.round((value / max) * BAR_CHARS))) : ''
}

export function grouped(value: number): string {
  return value.toLocaleString('en-US')
}

export function dollars(value: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: 4, maximumFractionDigits: 4 })
}

/** `1 call`, `2,000 calls`. */
export function counted(count: number, thing: string): string {
  return `${grouped(count)} ${thing}${count === 1 ? '' : thing.endsWith('ch') ? 'es' : 's'}`
}

/** A time to the minute, in UTC. */
export function minute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ')
}

// --- internal ---

const BAR_CHARS = 24
const NUMBER = /^(?:-?[\d,.]+)?$/
