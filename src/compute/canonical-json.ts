/** JSON text in one form, however it was written: keys sorted, white space gone, numbers as they are. */
import { elementsOf, membersOf, skipSpace, skipValue, textOf } from '../protocol/json-spans.js'

/**
 * Of the value that starts at `at`. Two texts of the same value have the same form if their numbers are written alike; nothing is
 * parsed into a double, so big integers differ. What is nested deeper than 64 levels stays as it was written.
 */
export function canonicalJson(bytes: Uint8Array, at = 0, depth = 0): string {
  const start = skipSpace(bytes, at)
  const inner = (place: number) => canonicalJson(bytes, place, depth + 1)
  const first = depth < MAX_DEPTH ? bytes[start] : undefined
  if (first === OPEN_BRACKET) return `[${elementsOf(bytes, start).map((element) => inner(element.start))}]`
  if (first === OPEN_BRACE) {
    const members = membersOf(bytes, start).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    return `{${members.map(({ key, value }) => `${JSON.stringify(key)}:${inner(value.start)}`)}}`
  }
  const text = textOf(bytes, { start, end: skipValue(bytes, start) })
  return first === QUOTE && text.includes('\\') ? reprinted(text) : text
}

// --- internal ---

const MAX_DEPTH = 64
const QUOTE = 0x22
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

/** A string with its escapes as JSON.stringify would have them. */
function reprinted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
