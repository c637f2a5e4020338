/** Lists of many servers as one: each entry keeps its own JSON text, with only what the gateway must change exchanged. */
import type { ListItem } from '../protocol/compute-api.js'
import { applyEdits, type Edit, membersOf, removeMember } from '../protocol/json-spans.js'

/** Changes to one entry of a list. */
export interface EntryEdits {
  /** Members whose value is exchanged for another string. */
  readonly set?: Readonly<Record<string, string>>
  /** Members that are left out. */
  readonly without?: readonly string[]
}

/** The JSON text of an entry after its edits. One with duplicate keys is printed anew first: cuts beside each other would not hold. */
export function editEntry(item: ListItem, edits: EntryEdits): string {
  const bytes = Buffer.from(item.json, 'utf8')
  const wanted = new Map(Object.entries(edits.set ?? {}))
  const done: Edit[] = []
  const seen = new Set<string>()
  for (const member of membersOf(bytes)) {
    if (seen.has(member.key)) return editEntry({ ...item, json: JSON.stringify(JSON.parse(item.json)) }, edits)
    seen.add(member.key)
    const value = wanted.get(member.key)
    if (value !== undefined) done.push({ ...member.value, text: JSON.stringify(value) })
    else if (edits.without?.includes(member.key)) done.push(removeMember(bytes, member))
  }
  return done.length === 0 ? item.json : applyEdits(bytes, done).toString('utf8')
}

/** Which part of a list is asked for. */
export interface PageRequest {
  /** What an earlier page gave as `nextCursor`; undefined: the first page. */
  readonly cursor: string | undefined
  /** Undefined: all that is left. */
  readonly size: number | undefined
}

/** The JSON text of a list result; undefined if the cursor is none of ours. Lists only grow at their end, so a cursor is a place in them. */
export function listResult(member: string, entries: readonly string[], page?: PageRequest): string | undefined {
  const from = page?.cursor === undefined ? 0 : placeOf(page.cursor)
  if (from === undefined || from > entries.length) return undefined
  const to = Math.min(entries.length, from + (page?.size ?? entries.length))
  const next = to < entries.length ? `,"nextCursor":"${CURSOR}${to}"` : ''
  return `{"${member}":[${entries.slice(from, to).join(',')}]${next}}`
}

// --- internal ---

const CURSOR = 'sluice-'

function placeOf(cursor: string): number | undefined {
  const place = new RegExp(`^${CURSOR}(\\d{1,9})$`).exec(cursor)?.[1]
  return place === undefined ? undefined : Number(place)
}
