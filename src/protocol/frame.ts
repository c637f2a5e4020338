/** Frames: one JSON-RPC message each, as UTF-8 bytes. Reading who a frame belongs to, and giving it another id, without parsing it. */

import { applyEdits, type Edit, eachMember, findMember, type Span, skipSpace } from './json-spans.js'
import {
  asRecord,
  type Incoming,
  isNotification,
  isRequest,
  isResponse,
  type JsonRpcErrorBody,
  type JsonRpcId,
  type JsonRpcMessage,
} from './messages.js'

/** A frame above this many bytes is not parsed on the main thread. */
export const LARGE_FRAME = 65_536

/** What routing needs to know of a frame. `idSpan` covers the id's JSON text. */
export type FrameFacts =
  | { readonly kind: 'response'; readonly id: JsonRpcId; readonly idSpan: Span }
  | { readonly kind: 'request'; readonly id: JsonRpcId; readonly idSpan: Span; readonly method: string }
  | { readonly kind: 'notification'; readonly method: string }

const HEAD = Buffer.from('{"jsonrpc":"2.0","id":')
const PLAIN_HEAD = Buffer.from('{"jsonrpc":"2.0",')
const RESULT = Buffer.from('"result":')
const ERROR = Buffer.from('"error":')
const ID_KEY = Buffer.from('"id":')
const MAX_DIGITS = 15

/**
 * The numeric id of a response, read off the ends of its bytes in constant time, or undefined when the ends do not tell.
 * The first brace of a message and the last are structural, so an id that stands directly inside them is the outermost one.
 */
export function responseIdAtEnds(frame: Uint8Array): { id: number; idSpan: Span } | undefined {
  if (holds(frame, 0, HEAD)) {
    const start = HEAD.length
    let end = start
    while (isDigit(frame[end])) end++
    return frame[end] === COMMA && isAnswerKey(frame, end + 1) ? numberAt(frame, start, end) : undefined
  }
  // A request may end in its id too; an answer begins with one of its own members.
  if (!isAnswerKey(frame, holds(frame, 0, PLAIN_HEAD) ? PLAIN_HEAD.length : 1)) return undefined
  const end = frame.length - 1
  let start = end
  while (isDigit(frame[start - 1])) start--
  const key = start - ID_KEY.length
  const closed = frame[end] === CLOSE_BRACE && key > 0 && holds(frame, key, ID_KEY) && frame[key - 1] !== BACKSLASH
  return closed ? numberAt(frame, start, end) : undefined
}

/** What a frame is, by a lexical walk over its outermost members; undefined if it is no JSON-RPC message. Linear in its size. */
export function frameFacts(frame: Uint8Array): FrameFacts | undefined {
  let id: JsonRpcId | undefined
  let idSpan: Span | undefined
  let method: string | undefined
  let answered = false
  const bytes = asBuffer(frame)
  eachMember(frame, skipSpace(frame, 0), ({ key, value }) => {
    if (key === 'id') {
      id = parseScalar(bytes.toString('utf8', value.start, value.end)) as JsonRpcId | undefined
      idSpan = value
    } else if (key === 'method') {
      method = parseScalar(bytes.toString('utf8', value.start, value.end)) as string | undefined
    } else if (key === 'result' || key === 'error') answered = true
    return true
  })
  const hasId = (typeof id === 'number' || typeof id === 'string') && idSpan !== undefined
  if (typeof method === 'string') {
    return hasId ? { kind: 'request', id: id as JsonRpcId, idSpan: idSpan as Span, method } : { kind: 'notification', method }
  }
  return answered && hasId ? { kind: 'response', id: id as JsonRpcId, idSpan: idSpan as Span } : undefined
}

/** Parses one message; undefined if it is no JSON or no JSON-RPC message. */
export function parseMessage(frame: Uint8Array): Incoming | undefined {
  const value = parseJson(frame)
  const message = asMessage(value)
  return message ? { frame, message } : undefined
}

/** The JSON value of a frame, or undefined if it is not valid JSON. */
export function parseJson(frame: Uint8Array): unknown {
  try {
    return JSON.parse(asBuffer(frame).toString('utf8'))
  } catch {
    return undefined
  }
}

/** A parsed value as a message, or undefined if its shape is not one. */
export function asMessage(value: unknown): JsonRpcMessage | undefined {
  const record = asRecord(value)
  if (record?.['jsonrpc'] !== '2.0') return undefined
  const message = record as unknown as JsonRpcMessage
  if ('method' in message) {
    if (typeof message.method !== 'string') return undefined
    if (!('id' in message)) return isNotification(message) ? message : undefined
    return isRequest(message) && isId(message.id) ? message : undefined
  }
  return isResponse(message) && (message.id === null || message.id === undefined || isId(message.id)) ? message : undefined
}

/** The frame with the JSON text at `idSpan` exchanged for `idJson`. */
export function withId(frame: Uint8Array, idSpan: Span, idJson: string, more: readonly Edit[] = []): Buffer {
  return applyEdits(frame, [{ start: idSpan.start, end: idSpan.end, text: idJson }, ...more])
}

/** Whether an answer is no error. */
export function isResult(frame: Uint8Array): boolean {
  return findMember(frame, 0, 'error') === undefined
}

export function idSpanOf(frame: Uint8Array): Span | undefined {
  const facts = frameFacts(frame)
  return facts && 'idSpan' in facts ? facts.idSpan : undefined
}

/** Bytes around a large frame in its own buffer: a line break, the name of an event's field. */
const MARGIN = 64

/** The bytes in an ArrayBuffer of their own, which alone can be transferred without taking others with it. */
export function ownBuffer(frame: Uint8Array): Uint8Array<ArrayBuffer> {
  const around = frame.buffer.byteLength - frame.byteLength
  const whole = frame.buffer instanceof ArrayBuffer && (around === 0 || (frame.length > LARGE_FRAME && around <= MARGIN))
  return whole ? (frame as Uint8Array<ArrayBuffer>) : new Uint8Array(frame)
}

/** A frame of an object of ours. */
export function encodeFrame(message: object): Buffer {
  return Buffer.from(JSON.stringify(message), 'utf8')
}

export function requestFrame(id: JsonRpcId, method: string, params?: object): Buffer {
  return encodeFrame({ jsonrpc: '2.0', id, method, ...(params && { params }) })
}

export function notificationFrame(method: string, params?: object): Buffer {
  return encodeFrame({ jsonrpc: '2.0', method, ...(params && { params }) })
}

/** @param idJson the JSON text of the request's id */
export function resultFrame(idJson: string, result: object): Buffer {
  return rawResultFrame(idJson, JSON.stringify(result))
}

/** A response whose result is JSON text that is already there. */
export function rawResultFrame(idJson: string, resultJson: string | Uint8Array): Buffer {
  const head = `{"jsonrpc":"2.0","id":${idJson},"result":`
  if (typeof resultJson === 'string') return Buffer.from(`${head}${resultJson}}`, 'utf8')
  return Buffer.concat([Buffer.from(head, 'utf8'), resultJson, Buffer.from('}')])
}

export function errorFrame(idJson: string, error: JsonRpcErrorBody): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${idJson},"error":${JSON.stringify(error)}}`, 'utf8')
}

/** Line breaks between tokens become spaces, so that the frame fits a line (stdio) and an SSE data field. In place. */
export function onOneLine(frame: Uint8Array): Uint8Array {
  for (const byte of [0x0a, 0x0d]) {
    for (let i = frame.indexOf(byte); i >= 0; i = frame.indexOf(byte, i + 1)) frame[i] = 0x20
  }
  return frame
}

/** The same bytes as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

// --- internal ---

function isId(value: unknown): value is JsonRpcId {
  return typeof value === 'string' || typeof value === 'number'
}

function parseScalar(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const COMMA = 0x2c
const BACKSLASH = 0x5c
const CLOSE_BRACE = 0x7d

function isAnswerKey(frame: Uint8Array, at: number): boolean {
  return holds(frame, at, RESULT) || holds(frame, at, ERROR)
}

function holds(frame: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let i = 0; i < part.length; i++) if (frame[at + i] !== part[i]) return false
  return true
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

function numberAt(frame: Uint8Array, start: number, end: number): { id: number; idSpan: Span } | undefined {
  if (end === start || end - start > MAX_DIGITS) return undefined
  let id = 0
  for (let i = start; i < end; i++) id = id * 10 + (frame[i] ?? 0) - 0x30
  return { id, idSpan: { start, end } }
}
