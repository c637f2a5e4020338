/** A response's JSON checked, and the spans of it that indexing asks for, in one walk over its bytes. */
import type { Member, Span } from '../../protocol/json-spans.js'
import { checkedString, checkedValue } from '../json-check.js'
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, spaceEnd } from '../json-scan.js'
import { decodeJsonString } from './json-string.js'

/** A JSON value's bytes. What stands inside is listed only along the paths to a result's text. */
export interface Outline extends Span {
  /** Of an object. */
  readonly members?: readonly OutlineMember[]
  /** Of an array. */
  readonly elements?: readonly Outline[]
}

export interface OutlineMember extends Member {
  readonly value: Outline
}

/** Undefined where the bytes are not one JSON value, as JSON.parse has it. */
export function outlineOf(bytes: Uint8Array): Outline | undefined {
  const root = valueAt(bytes, spaceEnd(bytes, 0), 0)
  return root && spaceEnd(bytes, root.end) === bytes.length ? root : undefined
}

/** The last member called `key`, as JSON.parse takes it. */
export function memberOf(outline: Outline | undefined, key: string): Outline | undefined {
  return outline?.members?.findLast((member) => member.key === key)?.value
}

/** The string that an outline is of; undefined if it is of something else. */
export function stringOf(bytes: Uint8Array, outline: Outline | undefined): string | undefined {
  return outline && bytes[outline.start] === QUOTE ? decodeJsonString(bytes, outline) : undefined
}

/** Whether it is an object, also one whose members are not listed. */
export function isObject(bytes: Uint8Array, outline: Outline | undefined): boolean {
  return outline !== undefined && bytes[outline.start] === OPEN_BRACE
}

// --- internal ---

/** response, result, messages, message, content, block, resource */
const MAX_DEPTH = 6
const OPENED = new Set(['result', 'content', 'contents', 'messages', 'resource'])

function valueAt(bytes: Uint8Array, at: number, depth: number): Outline | undefined {
  if (depth <= MAX_DEPTH && bytes[at] === OPEN_BRACE) return objectAt(bytes, at, depth)
  if (depth <= MAX_DEPTH && bytes[at] === OPEN_BRACKET) return arrayAt(bytes, at, depth)
  return leafAt(bytes, at)
}

function leafAt(bytes: Uint8Array, start: number): Outline | undefined {
  const end = checkedValue(bytes, start)
  return end < 0 ? undefined : { start, end }
}

function objectAt(bytes: Uint8Array, start: number, depth: number): Outline | undefined {
  const members: OutlineMember[] = []
  let at = spaceEnd(bytes, start + 1)
  if (bytes[at] === CLOSE_BRACE) return { start, end: at + 1, members }
  for (;;) {
    const keyEnd = bytes[at] === QUOTE ? checkedString(bytes, at) : -1
    const colon = keyEnd < 0 ? -1 : spaceEnd(bytes, keyEnd)
    if (bytes[colon] !== COLON) return undefined
    const key = decodeJsonString(bytes, { start: at, end: keyEnd })
    const from = spaceEnd(bytes, colon + 1)
    const value = OPENED.has(key) ? valueAt(bytes, from, depth + 1) : leafAt(bytes, from)
    if (!value) return undefined
    members.push({ key, whole: { start: at, end: value.end }, value })
    at = spaceEnd(bytes, value.end)
    if (bytes[at] === CLOSE_BRACE) return { start, end: at + 1, members }
    if (bytes[at] !== COMMA) return undefined
    at = spaceEnd(bytes, at + 1)
  }
}

function arrayAt(bytes: Uint8Array, start: number, depth: number): Outline | undefined {
  const elements: Outline[] = []
  let at = spaceEnd(bytes, start + 1)
  if (bytes[at] === CLOSE_BRACKET) return { start, end: at + 1, elements }
  for (;;) {
    const element = valueAt(bytes, at, depth + 1)
    if (!element) return undefined
    elements.push(element)
    at = spaceEnd(bytes, element.end)
    if (bytes[at] === CLOSE_BRACKET) return { start, end: at + 1, elements }
    if (bytes[at] !== COMMA) return undefined
    at = spaceEnd(bytes, at + 1)
  }
}
