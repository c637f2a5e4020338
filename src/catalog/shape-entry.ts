/** The JSON text of an entry of a list with some members exchanged: the others keep their text to the byte. */
import { membersOf, textOf } from '../protocol/json-spans.js'

export type Fields = Readonly<Record<string, unknown>>

export interface EntryShape {
  /** The member that comes first, whatever it was before. */
  readonly first: { readonly key: string; readonly value: string }
  /** JSON texts that take the place of values; those of members that are not there are added at the end. */
  readonly set: ReadonlyMap<string, string>
  readonly without: ReadonlySet<string>
}

/** White space between members goes; of members with the same key the last stays, which is the one that parsers take. */
export function shapeEntry(json: string, { first, set, without }: EntryShape): string {
  const bytes = Buffer.from(json, 'utf8')
  const members = new Map(membersOf(bytes).map((member) => [member.key, member.whole]))
  const parts = [`${JSON.stringify(first.key)}:${JSON.stringify(first.value)}`]
  for (const [key, whole] of members) {
    if (key === first.key || without.has(key)) continue
    const value = set.get(key)
    parts.push(value === undefined ? textOf(bytes, whole) : memberText(key, value))
  }
  for (const [key, value] of set) if (!members.has(key)) parts.push(memberText(key, value))
  return `{${parts.join(',')}}`
}

/** What must be set and left out to make `before` like `after`. */
export function changesBetween(before: Fields, after: Fields): Pick<EntryShape, 'set' | 'without'> {
  const set = new Map<string, string>()
  for (const [key, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined
    if (value === old) continue
    const json = JSON.stringify(value)
    if (json !== JSON.stringify(old)) set.set(key, json)
  }
  return { set, without: new Set(Object.keys(before).filter((key) => !Object.hasOwn(after, key))) }
}

// --- internal ---

function memberText(key: string, value: string): string {
  return `${JSON.stringify(key)}:${value}`
}
