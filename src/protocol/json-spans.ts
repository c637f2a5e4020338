/**
 * Lexical work on JSON bytes: find a member, list elements, exchange parts, all without parsing. What is not exchanged stays
 * as it was to the byte: `1.0`, big integers, duplicate keys, escapes. The bytes must be valid JSON (UTF-8); on broken input
 * the functions end and return what they have, they never loop or read outside.
 */

/** Byte offsets; `end` is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface Member {
  readonly key: string
  /** From the key's opening quote to the end of the value. */
  readonly whole: Span
  readonly value: Span
}

/** One exchange: the bytes of `span` become `text`. An empty span inserts. */
export interface Edit extends Span {
  readonly text: string | Uint8Array
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** The offset of the first byte at or after `at` that is no JSON white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let i = at
  while (i < bytes.length && isSpace(bytes[i])) i++
  return i
}

/** The offset after the JSON value that starts at `at`. */
export function skipValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at]
  if (first === QUOTE) return skipString(bytes, at)
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return skipScalar(bytes, at)
  let depth = 0
  let i = at
  while (i < bytes.length) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      i = skipString(bytes, i)
      continue
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    i++
    if (depth === 0) return i
  }
  return bytes.length
}

/** The members of the object that starts at `at`, in order; none if there is no object. */
export function membersOf(bytes: Uint8Array, at = 0): Member[] {
  const found: Member[] = []
  eachMember(bytes, at, (member) => {
    found.push(member)
    return true
  })
  return found
}

/** The value of the last member called `key` (as JSON.parse takes it) of the object that starts at `at`. */
export function findMember(bytes: Uint8Array, at: number, key: string): Span | undefined {
  let found: Span | undefined
  for (let walk = firstMember(bytes, at); walk; walk = nextMember(bytes, walk)) {
    if (keyIs(bytes, walk, key)) found = { start: walk.start, end: walk.end }
  }
  return found
}

/** Follows `path` through nested objects. */
export function findPath(bytes: Uint8Array, path: readonly string[], at = 0): Span | undefined {
  let span: Span | undefined = { start: skipSpace(bytes, at), end: bytes.length }
  for (const key of path) {
    if (!span) return undefined
    span = findMember(bytes, span.start, key)
  }
  return span
}

/** The elements of the array that starts at `at`. */
export function elementsOf(bytes: Uint8Array, at: number): Span[] {
  const found: Span[] = []
  if (bytes[at] !== OPEN_BRACKET) return found
  let i = skipSpace(bytes, at + 1)
  while (i < bytes.length && bytes[i] !== CLOSE_BRACKET) {
    const end = skipValue(bytes, i)
    if (end <= i) return found
    found.push({ start: i, end })
    i = skipSpace(bytes, end)
    if (bytes[i] === COMMA) i = skipSpace(bytes, i + 1)
  }
  return found
}

/** Calls `visit` for each member of the object that starts at `at` until it returns false. */
export function eachMember(bytes: Uint8Array, at: number, visit: (member: Member) => boolean): void {
  for (let walk = firstMember(bytes, at); walk; walk = nextMember(bytes, walk)) {
    const { keyStart, keyEnd, start, end } = walk
    const key = decodeKey(bytes, keyStart, keyEnd)
    if (!visit({ key, whole: { start: keyStart, end }, value: { start, end } })) return
  }
}

/** `bytes` with the edits made; edits may come in any order and must not overlap. */
export function applyEdits(bytes: Uint8Array, edits: readonly Edit[]): Buffer {
  const sorted = edits.length > 1 ? [...edits].sort((a, b) => a.start - b.start) : edits
  let size = bytes.length
  for (const { start, end, text } of sorted) {
    size += start - end + (typeof text === 'string' ? Buffer.byteLength(text) : text.length)
  }
  const edited = Buffer.allocUnsafe(size)
  let from = 0
  let to = 0
  for (const { start, end, text } of sorted) {
    to = copyInto(edited, to, bytes.subarray(from, start))
    to = typeof text === 'string' ? to + edited.write(text, to) : copyInto(edited, to, text)
    from = end
  }
  copyInto(edited, to, bytes.subarray(from))
  return edited
}

/** The edit that removes a member of the object it stands in, with the comma that belonged to it. */
export function removeMember(bytes: Uint8Array, member: Member): Edit {
  const after = skipSpace(bytes, member.whole.end)
  if (bytes[after] === COMMA) return { start: member.whole.start, end: after + 1, text: '' }
  let before = member.whole.start
  while (before > 0 && isSpace(bytes[before - 1])) before--
  const start = bytes[before - 1] === COMMA ? before - 1 : member.whole.start
  return { start, end: member.whole.end, text: '' }
}

/** The edit that puts a member in front of the others of the object that starts at `at`. */
export function insertMember(bytes: Uint8Array, at: number, json: string): Edit {
  const inside = skipSpace(bytes, at) + 1
  const empty = bytes[skipSpace(bytes, inside)] === CLOSE_BRACE
  return { start: inside, end: inside, text: empty ? json : `${json},` }
}

/** The text of a span. */
export function textOf(bytes: Uint8Array, span: Span): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + span.start, span.end - span.start).toString('utf8')
}

// --- internal ---

/** A member as offsets: of its key with the quotes, and of its value. */
interface Walk {
  readonly keyStart: number
  readonly keyEnd: number
  readonly start: number
  readonly end: number
}

function firstMember(bytes: Uint8Array, at: number): Walk | undefined {
  const open = skipSpace(bytes, at)
  return bytes[open] === OPEN_BRACE ? memberAt(bytes, skipSpace(bytes, open + 1)) : undefined
}

function nextMember(bytes: Uint8Array, { end }: Walk): Walk | undefined {
  const comma = skipSpace(bytes, end)
  return bytes[comma] === COMMA ? memberAt(bytes, skipSpace(bytes, comma + 1)) : undefined
}

function memberAt(bytes: Uint8Array, keyStart: number): Walk | undefined {
  if (bytes[keyStart] !== QUOTE) return undefined
  const keyEnd = skipString(bytes, keyStart)
  const colon = skipSpace(bytes, keyEnd)
  if (bytes[colon] !== COLON) return undefined
  const start = skipSpace(bytes, colon + 1)
  return { keyStart, keyEnd, start, end: skipValue(bytes, start) }
}

/** Compares bytes; a key with an escape or a character beyond ASCII is decoded. */
function keyIs(bytes: Uint8Array, { keyStart, keyEnd }: Walk, key: string): boolean {
  const length = keyEnd - keyStart - 2
  for (let i = 0; i < length; i++) {
    const byte = bytes[keyStart + 1 + i] ?? 0
    if (byte === BACKSLASH || byte > 0x7f) return decodeKey(bytes, keyStart, keyEnd) === key
    if (byte !== key.charCodeAt(i)) return false
  }
  return length === key.length
}

function copyInto(target: Uint8Array, at: number, part: Uint8Array): number {
  target.set(part, at)
  return at + part.length
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Native search as far as it goes in one step; a string with escaped quotes is walked, since a search for each costs more. */
function skipString(bytes: Uint8Array, at: number): number {
  const quote = bytes.indexOf(QUOTE, at + 1)
  if (quote < 0) return bytes.length
  if (bytes[quote - 1] !== BACKSLASH) return quote + 1
  for (let i = at + 1; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) return i + 1
    if (byte === BACKSLASH) i++
  }
  return bytes.length
}

function skipScalar(bytes: Uint8Array, at: number): number {
  let i = at
  while (i < bytes.length && !isSpace(bytes[i]) && !isDelimiter(bytes[i])) i++
  return i
}

function isDelimiter(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte === COLON
}

function decodeKey(bytes: Uint8Array, start: number, end: number): string {
  const raw = textOf(bytes, { start: start + 1, end: end - 1 })
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return raw
  }
}
