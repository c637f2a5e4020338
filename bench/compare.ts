/** What has changed since an earlier run of the bench. */
import type { Row } from './trials.js'

export interface Outcome {
  readonly trial: string
  readonly rows: readonly Row[]
}

/** Rows of the same trial and first column as before, each number with its change in percent; those without a counterpart are left out. */
export function compare(before: readonly Outcome[], now: readonly Outcome[]): Outcome[] {
  return now.flatMap(({ trial, rows }) => {
    const old = before.find((outcome) => outcome.trial === trial)?.rows ?? []
    const compared = rows.flatMap((row) => {
      const counterpart = old.find((other) => nameOf(other) === nameOf(row))
      return counterpart ? [changes(counterpart, row)] : []
    })
    return compared.length > 0 ? [{ trial, rows: compared }] : []
  })
}

// --- internal ---

function nameOf(row: Row): string {
  return String(Object.values(row)[0])
}

function changes(before: Row, now: Row): Row {
  const cells = Object.entries(now).map(([column, value], n) => {
    const old = before[column]
    if (n === 0 || typeof value !== 'number' || typeof old !== 'number') return [column, value]
    if (old === 0) return [column, `${old} → ${value}`]
    const percent = Math.round((value / old - 1) * 100)
    return [column, `${old} → ${value} (${percent > 0 ? '+' : ''}${percent} %)`]
  })
  return Object.fromEntries(cells) as Row
}
