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

/** The JSON text of a list result. */
export function listResult(member: string, entries: readonly string[]): string {
  return `{"${member}":[${entries.join(',')}]}`
}
