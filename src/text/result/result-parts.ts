/** Finds the text and the images of a JSON-RPC result and where they stand in the frame's own bytes. */
import { isDeepStrictEqual } from 'node:util'
import { parseJson } from '../../protocol/frame.js'
import { findMember, type Member, type Span, textOf } from '../../protocol/json-spans.js'
import { asRecord } from '../../protocol/messages.js'
import type { ResultKind } from '../../protocol/session-api.js'
import { memberOf, type Outline, outlineOf } from './frame-outline.js'

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

/** An image as base64; the slots are the JSON texts that carry it. */
export interface ImagePart {
  readonly data: string
  readonly mimeType: string
  readonly dataSlot: Span
  readonly typeSlot: Span
}

/** A result's bytes and the same parsed. */
export interface OpenedResult {
  readonly outline: Outline
  readonly value: Result
}

/** Undefined for what is no answer with a result, or only says that a task was made. */
export function openResult(frame: Uint8Array): OpenedResult | undefined {
  const value = asRecord(asRecord(parseJson(frame))?.['result'])
  const outline = value && memberOf(outlineOf(frame), 'result')
  return outline && !asRecord(value['task']) ? { outline, value } : undefined
}

/** The images of a tool's result: image blocks, and embedded resources that are images. */
export function imageParts(frame: Uint8Array, { outline, value }: OpenedResult): ImagePart[] {
  return itemsOf(memberOf(outline, 'content'), value['content']).flatMap((item) => imagePart(frame, item))
}

/** Where the text of a part stands, of an embedded resource too. */
export function textSlot(frame: Uint8Array, { slot, slotIsBlock }: TextPart): Span {
  const resource = slotIsBlock ? findMember(frame, slot.start, 'resource') : undefined
  return (resource && findMember(frame, resource.start, 'text')) ?? slot
}

/**
 * @param outline the result's bytes
 * @param value the same, parsed
 */
export function resultText(frame: Uint8Array, outline: Outline, value: Result, kind: ResultKind): ResultText {
  const blocks = FINDERS[kind](outline, value)
  const structured = kind === 'tool' ? structuredText(frame, outline, value['structuredContent'], blocks) : undefined
  return { blocks, members: outline.members ?? [], result: outline, ...(structured !== undefined && { structured }) }
}

// --- internal ---

type Result = Readonly<Record<string, unknown>>
type Finder = (outline: Outline, value: Result) => TextPart[]

const FINDERS: Record<ResultKind, Finder> = {
  tool: (outline, value) => itemsOf(memberOf(outline, 'content'), value['content']).flatMap(blockPart),
  resource: (outline, value) => itemsOf(memberOf(outline, 'contents'), value['contents']).flatMap(entryPart),
  prompt: (outline, value) => itemsOf(memberOf(outline, 'messages'), value['messages']).flatMap(messageParts),
}

/** A parsed element of an array, and its bytes among its siblings. */
interface Item {
  readonly value: unknown
  readonly outline: Outline
  readonly siblings: Siblings
  readonly index: number
}

function itemsOf(outline: Outline | undefined, values: unknown): Item[] {
  if (!Array.isArray(values)) return []
  const siblings = outline?.elements ?? []
  return siblings.map((element, index) => ({ value: values[index], outline: element, siblings, index }))
}

function blockPart({ value, outline, siblings, index }: Item): TextPart[] {
  const block = asRecord(value)
  if (block?.['type'] === 'text' && typeof block['text'] === 'string') {
    const slot = memberOf(outline, 'text') ?? outline
    return [{ text: block['text'], slot, slotIsBlock: false, siblings, index }]
  }
  const resource = block?.['type'] === 'resource' ? asRecord(block['resource']) : undefined
  if (typeof resource?.['text'] !== 'string') return []
  return [{ text: resource['text'], ...namesOf(resource), slot: outline, slotIsBlock: true, siblings, index }]
}

function imagePart(frame: Uint8Array, { value, outline }: Item): ImagePart[] {
  const block = asRecord(value)
  const resource = block?.['type'] === 'resource' ? asRecord(block['resource']) : undefined
  const [owner, key] = resource ? [resource, 'blob'] : [block?.['type'] === 'image' ? block : undefined, 'data']
  const [data, mimeType] = [owner?.[key], owner?.['mimeType']]
  if (typeof data !== 'string' || typeof mimeType !== 'string' || !/^image\//i.test(mimeType)) return []
  const at = resource ? findMember(frame, outline.start, 'resource')?.start : outline.start
  const dataSlot = at === undefined ? undefined : findMember(frame, at, key)
  const typeSlot = at === undefined ? undefined : findMember(frame, at, 'mimeType')
  return dataSlot && typeSlot ? [{ data, mimeType, dataSlot, typeSlot }] : []
}

function entryPart({ value, outline, siblings, index }: Item): TextPart[] {
  const entry = asRecord(value)
  const slot = memberOf(outline, 'text')
  if (typeof entry?.['text'] !== 'string' || !slot) return []
  return [{ text: entry['text'], ...namesOf(entry), slot, slotIsBlock: false, siblings, index }]
}

function messageParts({ value, outline, siblings, index }: Item): TextPart[] {
  const content = asRecord(value)?.['content']
  const inside = memberOf(outline, 'content')
  if (!inside) return []
  if (Array.isArray(content)) return itemsOf(inside, content).flatMap(blockPart)
  return blockPart({ value: content, outline: inside, siblings, index })
}

function namesOf(resource: Result): { uri?: string; mimeType?: string } {
  const { uri, mimeType } = resource
  return { ...(typeof uri === 'string' && { uri }), ...(typeof mimeType === 'string' && { mimeType }) }
}

function structuredText(frame: Uint8Array, outline: Outline, value: unknown, blocks: readonly TextPart[]): string | undefined {
  if (typeof value !== 'object' || value === null || blocks.some(({ text }) => saysTheSame(text, value))) return undefined
  const span = memberOf(outline, 'structuredContent')
  return span && textOf(frame, span)
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
