/** Finds the text of a JSON-RPC result and where it stands in the frame's own bytes. */
import { isDeepStrictEqual } from 'node:util'
import { asBuffer } from '../protocol/frame.js'
import {
  eachMember,
  elementsOf,
  findMember,
  type Member,
  membersOf,
  type Span,
  skipSpace,
  textOf,
} from '../protocol/json-spans.js'
import { asRecord } from '../protocol/messages.js'
import type { ResultKind } from '../protocol/session-api.js'

/** Elements of an array, or members of an object, in the order of their bytes. */
export type Siblings = readonly Span[]

/** A block of text and the bytes that carry it. */
export interface TextPart {
  readonly text: string
  readonly mimeType?: string
  /** Of an embedded resource, or of an entry of a resource's contents. */
  readonly uri?: string
  /** The text's JSON string, or the whole block where a text block is to take its place. */
  readonly slot: Span
  readonly slotIsBlock: boolean
  /** What is taken out when the text goes elsewhere: the element `index` of `siblings`. */
  readonly siblings: Siblings
  readonly index: number
}

export interface ResultText {
  readonly blocks: readonly TextPart[]
  /** The bytes of `structuredContent`, unless a text block says the same. */
  readonly structured?: string
  /** The members of the result: `structuredContent` and `content` are edited there. */
  readonly members: readonly Member[]
  readonly result: Span
}

export interface Root {
  readonly idSpan: Span
  /** Undefined for an error response. */
  readonly result?: Span
}

/** The id and the result of a response, by one walk over its outermost members; undefined if it has no id or no answer. */
export function rootOf(frame: Uint8Array): Root | undefined {
  let idSpan: Span | undefined
  let result: Span | undefined
  let answered = false
  eachMember(frame, skipSpace(frame, 0), ({ key, value }) => {
    if (key === 'id') idSpan = value
    else if (key === 'result') result = value
    if (key === 'result' || key === 'error') answered = true
    return true
  })
  return idSpan && answered ? { idSpan, ...(result && { result }) } : undefined
}

/** @param value the parsed result whose bytes are at `span` */
export function resultText(frame: Uint8Array, span: Span, value: Record<string, unknown>, kind: ResultKind): ResultText {
  const members = membersOf(frame, span.start)
  const blocks = FINDERS[kind](frame, span, value)
  const structured = kind === 'tool' ? structuredText(frame, span, value['structuredContent'], blocks) : undefined
  return { blocks, members, result: span, ...(structured !== undefined && { structured }) }
}

// --- internal ---

type Finder = (frame: Uint8Array, span: Span, result: Record<string, unknown>) => TextPart[]

const FINDERS: Record<ResultKind, Finder> = {
  tool: (frame, span, result) => elementsAt(frame, span, result, 'content').flatMap((at) => blockPart(frame, at)),
  resource: (frame, span, result) => elementsAt(frame, span, result, 'contents').flatMap((at) => entryPart(frame, at)),
  prompt: (frame, span, result) => elementsAt(frame, span, result, 'messages').flatMap((at) => messageParts(frame, at)),
}

/** A parsed element of an array, and its bytes among its siblings. */
interface Element {
  readonly value: unknown
  readonly span: Span
  readonly siblings: Siblings
  readonly index: number
}

function elementsAt(frame: Uint8Array, span: Span, holder: object, key: string): Element[] {
  const values = (holder as Record<string, unknown>)[key]
  const list = Array.isArray(values) ? findMember(frame, span.start, key) : undefined
  if (!list) return []
  const siblings = elementsOf(frame, list.start)
  return siblings.map((at, index) => ({ value: (values as unknown[])[index], span: at, siblings, index }))
}

function blockPart(frame: Uint8Array, { value, span, siblings, index }: Element): TextPart[] {
  const block = asRecord(value)
  if (block?.['type'] === 'text' && typeof block['text'] === 'string') {
    const slot = findMember(frame, span.start, 'text') ?? span
    return [{ text: block['text'], slot, slotIsBlock: false, siblings, index }]
  }
  const resource = block?.['type'] === 'resource' ? asRecord(block['resource']) : undefined
  if (typeof resource?.['text'] !== 'string') return []
  return [{ text: resource['text'], ...namesOf(resource), slot: span, slotIsBlock: true, siblings, index }]
}

function entryPart(frame: Uint8Array, { value, span, siblings, index }: Element): TextPart[] {
  const entry = asRecord(value)
  if (typeof entry?.['text'] !== 'string') return []
  const slot = findMember(frame, span.start, 'text') ?? span
  return [{ text: entry['text'], ...namesOf(entry), slot, slotIsBlock: false, siblings, index }]
}

function messageParts(frame: Uint8Array, { value, span, siblings, index }: Element): TextPart[] {
  const message = asRecord(value)
  const content = findMember(frame, span.start, 'content')
  if (!message || !content) return []
  if (Array.isArray(message['content']))
    return elementsAt(frame, span, message, 'content').flatMap((at) => blockPart(frame, at))
  return blockPart(frame, { value: message['content'], span: content, siblings, index })
}

function namesOf(resource: Readonly<Record<string, unknown>>): { uri?: string; mimeType?: string } {
  const { uri, mimeType } = resource
  return { ...(typeof uri === 'string' && { uri }), ...(typeof mimeType === 'string' && { mimeType }) }
}

function structuredText(frame: Uint8Array, result: Span, value: unknown, blocks: readonly TextPart[]): string | undefined {
  if (typeof value !== 'object' || value === null || blocks.some(({ text }) => saysTheSame(text, value))) return undefined
  const span = findMember(frame, result.start, 'structuredContent')
  return span && textOf(asBuffer(frame), span)
}

function saysTheSame(text: string, value: object): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    return isDeepStrictEqual(JSON.parse(text), value)
  } catch {
    // No JSON, or nested too deeply to compare: two texts.
    return false
  }
}
