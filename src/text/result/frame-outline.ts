/** The spans of a response along the paths to what it says, found in one walk over its bytes. */
import { type Member, type Span, skipSpace, skipValue } from '../../protocol/json-spans.js'

/** A JSON value's bytes. What stands inside is listed only along the paths to a result's text. */
export interface Outline extends Span {
  readonly members?: readonly OutlineMember[]
  readonly elements?: readonly Outline[]
}

export interface OutlineMember extends Member {
  readonly value: Outline
}

/** @param at where the value starts; the bytes must be valid JSON */
export function outlineOf(bytes: Uint8Array, at = skipSpace(bytes, 0), depth = 0): Outline {
  if (depth <= MAX_DEPTH && bytes[at] === OPEN_BRACE) return objectAt(bytes, at, depth)
  if (depth <= MAX_DEPTH && bytes[at] === OPEN_BRACKET) return arrayAt(bytes, at, depth)
  return { start: at, end: skipValue(bytes, at) }
}

/** The last member called `key`, as JSON.parse takes it. */
export function memberOf(outline: Outline | undefined, key: string): Outline | undefined {
  return outline?.members?.findLast((member) => member.key === key)?.value
}

// --- internal ---

const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c

/** response, result, messages, message, content, block */
const MAX_DEPTH = 6
const OPENED = new Set(['result', 'content', 'contents', 'messages'])

function objectAt(bytes: Uint8Array, start: number, depth: number): Outline {
  const members: OutlineMember[] = []
  let at = skipSpace(bytes, start + 1)
  while (at < bytes.length && bytes[at] !== CLOSE_BRACE) {
    const keyEnd = skipValue(bytes, at)
    const key = keyOf(bytes, at, keyEnd)
    const from = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1)
    const value = OPENED.has(key) ? outlineOf(bytes, from, depth + 1) : { start: from, end: skipValue(bytes, from) }
    members.push({ key, whole: { start: at, end: value.end }, value })
    at = nextItem(bytes, value.end)
  }
  return { start, end: at + 1, members }
}

function arrayAt(bytes: Uint8Array, start: number, depth: number): Outline {
  const elements: Outline[] = []
  let at = skipSpace(bytes, start + 1)
  while (at < bytes.length && bytes[at] !== CLOSE_BRACKET) {
    const element = outlineOf(bytes, at, depth + 1)
    elements.push(element)
    at = nextItem(bytes, element.end)
  }
  return { start, end: at + 1, elements }
}

function nextItem(bytes: Uint8Array, end: number): number {
  const at = skipSpace(bytes, end)
  return bytes[at] === COMMA ? skipSpace(bytes, at + 1) : at
}

function keyOf(bytes: Uint8Array, start: number, end: number): string {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString()) as string
}
