/** The title of a line that may be a JSON record. */

import { isOpener, memberAt, nextItem, OPEN_BRACE, spaceEnd, unquoted, valueEnd } from '../json-scan.js'

/** Characters of a line that are worth looking at. */
export const RECORD_REACH = 4_000

/** Time, level and message or name of a JSON record; any other line as it is. */
export function recordTitle(line: string): string {
  const at = spaceEnd(line, 0)
  if (line.charCodeAt(at) !== OPEN_BRACE) return line
  const parts: string[][] = WANTED.map(() => [])
  let i = spaceEnd(line, at + 1)
  for (let member = memberAt(line, i); member; member = memberAt(line, i)) {
    const { key, valueAt } = member
    const end = valueEnd(line, valueAt)
    const group = WANTED.findIndex((keys) => keys.has(key.toLowerCase().replace(/[-_@.]/g, '')))
    if (group >= 0 && end < line.length && !isOpener(line.charCodeAt(valueAt)))
      parts[group]?.push(shown(key, line.slice(valueAt, end)))
    i = nextItem(line, end)
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
