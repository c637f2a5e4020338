/** Finds the text and the images of a JSON-RPC result and where they stand in the frame's own bytes. */
import { isDeepStrictEqual } from 'node:util'
import { findMember, type Member, type Span, textOf } from '../../protocol/json-spans.js'
import type { ResultKind } from '../../protocol/session-api.js'
import { isObject, memberOf, type Outline, outlineOf, stringOf } from './frame-outline.js'

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

/** The bytes of an answer's result. Undefined for what is no answer with one, or only says that a task was made. */
export function openResult(frame: Uint8Array): Outline | undefined {
  return withoutTask(frame, memberOf(outlineOf(frame), 'result'))
}

/** The same of an outline of the result. */
export function withoutTask(frame: Uint8Array, result: Outline | undefined): Outline | undefined {
  return result?.members && !isObject(frame, memberOf(result, 'task')) ? result : undefined
}

/** The images of a tool's result: image blocks, and embedded resources that are images. */
export function imageParts(frame: Uint8Array, result: Outline): ImagePart[] {
  return itemsOf(frame, memberOf(result, 'content')).flatMap(imagePart)
}

/** Where the text of a part stands, of an embedded resource too. */
export function textSlot(frame: Uint8Array, { slot, slotIsBlock }: TextPart): Span {
  const resource = slotIsBlock ? findMember(frame, slot.start, 'resource') : undefined
  return (resource && findMember(frame, resource.start, 'text')) ?? slot
}

/** @param outline the result's bytes */
export function resultText(frame: Uint8Array, outline: Outline, kind: ResultKind): ResultText {
  const blocks = FINDERS[kind](frame, outline)
  const structured = kind === 'tool' ? structuredText(frame, outline, blocks) : undefined
  return { blocks, members: outline.members ?? [], result: outline, ...(structured !== undefined && { structured }) }
}

// --- internal ---

type Finder = (frame: Uint8Array, outline: Outline) => TextPart[]

const FINDERS: Record<ResultKind, Finder> = {
  tool: (frame, outline) => itemsOf(frame, memberOf(outline, 'content')).flatMap(blockPart),
  resource: (frame, outline) => itemsOf(frame, memberOf(outline, 'contents')).flatMap(entryPart),
  prompt: (frame, outline) => itemsOf(frame, memberOf(outline, 'messages')).flatMap(messageParts),
}

/** An element of an array, among its siblings. */
interface Item {
  readonly frame: Uint8Array
  readonly outline: Outline
  readonly siblings: Siblings
  readonly index: number
}

function itemsOf(frame: Uint8Array, array: Outline | undefined): Item[] {
  const siblings = array?.elements ?? []
  return siblings.map((outline, index) => ({ frame, outline, siblings, index }))
}

function blockPart({ frame, outline, siblings, index }: Item): TextPart[] {
  const type = stringOf(frame, memberOf(outline, 'type'))
  if (type === 'text') {
    const slot = memberOf(outline, 'text')
    const text = stringOf(frame, slot)
    return slot && text !== undefined ? [{ text, slot, slotIsBlock: false, siblings, index }] : []
  }
  const resource = type === 'resource' ? memberOf(outline, 'resource') : undefined
  const text = stringOf(frame, memberOf(resource, 'text'))
  return text === undefined ? [] : [{ text, ...namesOf(frame, resource), slot: outline, slotIsBlock: true, siblings, index }]
}

function imagePart({ frame, outline }: Item): ImagePart[] {
  const type = stringOf(frame, memberOf(outline, 'type'))
  const owner = type === 'resource' ? memberOf(outline, 'resource') : type === 'image' ? outline : undefined
  const dataSlot = memberOf(owner, type === 'resource' ? 'blob' : 'data')
  const typeSlot = memberOf(owner, 'mimeType')
  const [data, mimeType] = [stringOf(frame, dataSlot), stringOf(frame, typeSlot)]
  if (!dataSlot || !typeSlot || data === undefined || mimeType === undefined) return []
  return /^image\//i.test(mimeType) ? [{ data, mimeType, dataSlot, typeSlot }] : []
}

function entryPart({ frame, outline, siblings, index }: Item): TextPart[] {
  const slot = memberOf(outline, 'text')
  const text = stringOf(frame, slot)
  return slot && text !== undefined ? [{ text, ...namesOf(frame, outline), slot, slotIsBlock: false, siblings, index }] : []
}

function messageParts({ frame, outline, siblings, index }: Item): TextPart[] {
  const content = memberOf(outline, 'content')
  if (content?.elements) return itemsOf(frame, content).flatMap(blockPart)
  return content ? blockPart({ frame, outline: content, siblings, index }) : []
}

function namesOf(frame: Uint8Array, resource: Outline | undefined): { uri?: string; mimeType?: string } {
  const uri = stringOf(frame, memberOf(resource, 'uri'))
  const mimeType = stringOf(frame, memberOf(resource, 'mimeType'))
  return { ...(uri !== undefined && { uri }), ...(mimeType !== undefined && { mimeType }) }
}

function structuredText(frame: Uint8Array, outline: Outline, blocks: readonly TextPart[]): string | undefined {
  const span = memberOf(outline, 'structuredContent')
  const json = span && textOf(frame, span)
  return json && CONTAINER.test(json) && !blocks.some(({ text }) => saysTheSame(text, json)) ? json : undefined
}

const CONTAINER = /^\s*[[{]/

function saysTheSame(text: string, json: string): boolean {
  if (text === json) return true
  if (!CONTAINER.test(text)) return false
  try {
    return isDeepStrictEqual(JSON.parse(text), JSON.parse(json))
  } catch {
    // No JSON, or nested too deeply to compare: two texts.
    return false
  }
}
