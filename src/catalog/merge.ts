/** Lists of many servers as one: each entry keeps its own JSON text, with only what the gateway must change exchanged. */
import type { ListItem, ListKind, ListMember } from '../protocol/compute-api.js'
import { applyEdits, type Edit, membersOf, removeMember, textOf } from '../protocol/json-spans.js'

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

/**
 * What servers' list results have beside their entries, as one: of each member the first server's own text; `_meta` of several servers
 * is joined member by member, the first server's before the others'.
 */
export function mergeMembers(lists: readonly (readonly ListMember[])[]): ListMember[] {
  const merged = new Map<string, ListMember>()
  for (const member of lists.flat()) {
    const first = merged.get(member.key)
    if (!first) merged.set(member.key, member)
    else if (member.key === '_meta') merged.set('_meta', { key: '_meta', json: joined(first.json, member.json) })
  }
  return [...merged.values()]
}

/** The JSON text of a list result. */
export function listResult(kind: ListKind, entries: readonly string[], members: readonly ListMember[] = []): string {
  const more = members.map(({ key, json }) => `,${JSON.stringify(key)}:${json}`).join('')
  return `{"${kind}":[${entries.join(',')}]${more}}`
}

// --- internal ---

/** Two objects' texts as one, the first one's members before all; what is no object gives way to what is. */
function joined(first: string, second: string): string {
  const [a, b] = [first, second].map((json) => Buffer.from(json, 'utf8'))
  if (!a || !b || !second.startsWith('{')) return first
  if (!first.startsWith('{')) return second
  const own = membersOf(a)
  const known = new Set(own.map(({ key }) => key))
  const more = membersOf(b).filter(({ key }) => !known.has(key))
  return `{${[...own.map(({ whole }) => textOf(a, whole)), ...more.map(({ whole }) => textOf(b, whole))].join(',')}}`
}
