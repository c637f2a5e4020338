/** Durations and sizes as people write them: `"30 min"`, `"500ms"`, `"256 MiB"`, or a plain number of ms or bytes. */

/** Milliseconds, or undefined for what is no duration. At most the longest that a timer of Node can wait (24.8 days). */
export function parseDuration(value: unknown): number | undefined {
  return parseAmount(value, DURATIONS, MAX_TIMER_MS)
}

/** Bytes, or undefined for what is no size. `KB` is 1,000 and `KiB` is 1,024. */
export function parseBytes(value: unknown): number | undefined {
  return parseAmount(value, SIZES, Number.MAX_SAFE_INTEGER)
}

export function renderDuration(ms: number): string {
  return renderAmount(ms, [
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
    [1, 'ms'],
  ])
}

export function renderBytes(bytes: number): string {
  return renderAmount(bytes, [
    [1024 ** 3, 'GiB'],
    [1024 ** 2, 'MiB'],
    [1024, 'KiB'],
    [1, 'bytes'],
  ])
}

// --- internal ---

type Unit = readonly [size: number, name: string]

/** A longer timer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

const DURATIONS = unitTable([
  [1, 'ms'],
  [1000, 's sec secs second seconds'],
  [60_000, 'm min mins minute minutes'],
  [3_600_000, 'h hour hours'],
  [86_400_000, 'd day days'],
])

const SIZES = unitTable([
  [1, 'b byte bytes'],
  [1000, 'kb'],
  [1000 ** 2, 'mb'],
  [1000 ** 3, 'gb'],
  [1024, 'kib'],
  [1024 ** 2, 'mib'],
  [1024 ** 3, 'gib'],
])

function unitTable(rows: readonly Unit[]): ReadonlyMap<string, number> {
  return new Map(rows.flatMap(([size, names]) => names.split(' ').map((name) => [name, size] as const)))
}

function parseAmount(value: unknown, units: ReadonlyMap<string, number>, max: number): number | undefined {
  const amount = typeof value === 'string' ? amountOf(value, units) : value
  if (typeof amount !== 'number' || !(amount >= 0 && amount <= max)) return undefined
  return Math.round(amount)
}

function amountOf(text: string, units: ReadonlyMap<string, number>): number | undefined {
  const [, digits, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? []
  if (digits === undefined || unit === undefined) return undefined
  const size = unit === '' ? 1 : units.get(unit.toLowerCase())
  return size === undefined ? undefined : Number(digits) * size
}

function renderAmount(amount: number, units: readonly Unit[]): string {
  const [size, name] = units.find(([unit]) => amount >= unit && amount % unit === 0) ?? [1, units.at(-1)?.[1] ?? '']
  return `${amount / size} ${name}`
}
