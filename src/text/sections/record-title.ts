/** The title of a line that may be a JSON record. */

import { codesOf, isOpener, memberAt, nextItem, OPEN_BRACE, spaceEnd, unquoted, valueEnd } from '../json-scan.js'

/** Characters of a line that are worth looking at. */
export const RECORD_REACH = 4_000

/** Time, level and message or name of a JSON record; any other line as it is. */
export function recordTitle(line: string): string {
  if (!/^\s*\{/.test(line)) return line
  const codes = codesOf(line)
  const at = spaceEnd(codes, 0)
  if (codes[at] !== OPEN_BRACE) return line
  const parts: string[][] = WANTED.map(() => [])
  let i = spaceEnd(codes, at + 1)
  for (let member = memberAt(codes, i); member; member = memberAt(codes, i)) {
    const { keyAt, keyEnd, valueAt } = member
    const key = unquoted(line.slice(keyAt, keyEnd))
    const end = valueEnd(codes, valueAt)
    const group = WANTED.findIndex((keys) => keys.has(key.toLowerCase().replace(/[-_@.]/g, '')))
    if (group >= 0 && end < line.length && !isOpener(codes[valueAt])) parts[group]?.push(shown(key, line.slice(valueAt, end)))
    i = nextItem(codes, end)
  }
  const title = parts.map(([first]) => first).filter(Boolean)
  return title.length > 0 ? title.join(' ') : line
}

// --- internal ---

const WANTED: readonly ReadonlySet<string>[] = [
  new Set(['timestamp', 'time', 'ts', 'date', 'datetime', 'createdat', 'created', 'start']),
  new Set(['level', 'severity', 'loglevel', 'lvl', 'status']),
  new Set(['service', 'logger', 'source', 'host', 'kind', 'type']),
  new Set(['message', 'msg', 'event', 'name', 'title', 'text', 'id', 'path', 'url']),
]

/** A string as it is; a bare number needs its key. */
function shown(key: string, json: string): string {
  return json.startsWith('"') ? unquoted(json) : `${key} ${json}`
}
