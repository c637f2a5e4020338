/** What tells a JSON object from its neighbours: its name, title, id; else its keys. */

import { type Codes, isOpener, memberAt, nextItem, OPEN_BRACE, QUOTE, spaceEnd, unquoted, valueEnd } from '../json-scan.js'

/** A short name for the container that starts at `at`, taken from its first members. */
export function elementName(text: string, codes: Codes, at: number): string {
  if (codes[at] !== OPEN_BRACE) return ''
  const own = look(text, codes, at)
  if (own.rank <= STRONG) return own.name
  for (const child of own.holders) {
    const found = look(text, codes, child)
    if (found.rank < own.rank) return found.name
  }
  return own.name || `{${own.keys.join(', ')}}`
}

// --- internal ---

/** Best first. Keys are compared in lower case, without `_` and `-`. */
const NAMING = [
  ...[
    'name',
    'title',
    'fullname',
    'displayname',
    'label',
    'subject',
    'summary',
    'headline',
    'place',
    'path',
    'file',
    'filename',
  ],
  ...[
    'key',
    'slug',
    'login',
    'email',
    'metric',
    'alert',
    'podname',
    'hostname',
    'message',
    'msg',
    'question',
    'text',
    'content',
    'description',
  ],
  ...['url', 'uri', 'id', 'uuid', 'timestamp', 'time', 'date', 'createdat', 'type', 'kind'],
]
const RANKS = new Map(NAMING.map((key, rank) => [key, rank]))
/** Up to `description` a name says enough; of the weaker ones, a better one may stand a level deeper. */
const STRONG = NAMING.indexOf('description')
/** Members whose objects carry the name of what they belong to. */
const HOLDERS = new Set([
  'metadata',
  'meta',
  'properties',
  'attributes',
  'fields',
  'node',
  'info',
  'data',
  'commit',
  'resource',
])
const MAX_MEMBERS = 40
/** Longer values are prose, not names, unless there is nothing else. */
const MAX_NAME = 100
const MAX_KEYS_SHOWN = 8

interface Looked {
  name: string
  rank: number
  readonly holders: number[]
  readonly keys: string[]
}

function look(text: string, codes: Codes, at: number): Looked {
  const found: Looked = { name: '', rank: Number.POSITIVE_INFINITY, holders: [], keys: [] }
  let i = spaceEnd(codes, at + 1)
  let member = memberAt(codes, i)
  for (let n = 0; member && n < MAX_MEMBERS; n++) {
    const { keyAt, keyEnd, valueAt } = member
    const key = unquoted(text.slice(keyAt, keyEnd))
    const end = valueEnd(codes, valueAt)
    const plainKey = key.toLowerCase().replace(/[-_]/g, '')
    if (found.keys.length < MAX_KEYS_SHOWN) found.keys.push(key)
    if (!isOpener(codes[valueAt])) weigh(found, RANKS.get(plainKey), text.slice(valueAt, Math.min(end, valueAt + MAX_NAME + 2)))
    else if (HOLDERS.has(plainKey) && codes[valueAt] === OPEN_BRACE) found.holders.push(valueAt)
    i = nextItem(codes, end)
    member = memberAt(codes, i)
  }
  return found
}

function weigh(found: Looked, rank: number | undefined, json: string): void {
  if (rank === undefined || rank >= found.rank || json === 'null' || json === '""') return
  const isCut = json.length === MAX_NAME + 2 && !json.endsWith('"')
  found.name = json.charCodeAt(0) === QUOTE ? unquoted(isCut ? `${json.replace(/\\[^\\]{0,5}$/, '')}"` : json) : json
  found.rank = rank
}
