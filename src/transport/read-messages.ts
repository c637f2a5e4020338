/** Bytes of a client's to messages: one, or a batch split into its elements, each with its own bytes; what is none becomes the error to send back. */
import { isUtf8 } from 'node:buffer'
import { asMessage, errorFrame, onOneLine, parseJson } from '../protocol/frame.js'
import { elementsOf, skipSpace } from '../protocol/json-spans.js'
import { asRecord, type Incoming, RPC } from '../protocol/messages.js'

/** What was no message, as the JSON-RPC error that says so. */
export interface Fault {
  readonly fault: Uint8Array
}

export interface Received {
  /** Whether it was a JSON array. */
  readonly batch: boolean
  /** At least one. */
  readonly items: readonly (Incoming | Fault)[]
}

/** More elements than any client sends; a batch beyond it is refused as a whole. */
const MAX_BATCH = 1000

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** Line breaks between tokens are blanked in place. Codes: -32700 no JSON, -32600 JSON and no message. */
export function readMessages(bytes: Uint8Array): Received {
  const marked = BYTE_ORDER_MARK.equals(bytes.subarray(0, 3))
  const text = marked ? bytes.subarray(3) : bytes
  const value = isUtf8(text) ? parseJson(text) : undefined
  if (value === undefined) return refused('null', RPC.parseError, 'Parse error: not valid JSON in UTF-8')
  const frame = onOneLine(text)
  if (!Array.isArray(value)) return { batch: false, items: [itemOf(frame, value)] }
  if (value.length === 0) return refused('null', RPC.invalidRequest, 'Invalid request: the batch is empty')
  if (value.length > MAX_BATCH)
    return refused('null', RPC.invalidRequest, `Invalid request: a batch has at most ${MAX_BATCH} messages`)
  const spans = elementsOf(frame, skipSpace(frame, 0))
  return { batch: true, items: spans.map(({ start, end }, i) => itemOf(frame.subarray(start, end), value[i])) }
}

export function isFault(item: Incoming | Fault): item is Fault {
  return 'fault' in item
}

// --- internal ---

function itemOf(frame: Uint8Array, value: unknown): Incoming | Fault {
  const message = asMessage(value)
  if (message) return { frame, message }
  const id = asRecord(value)?.['id']
  const idJson = typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : 'null'
  return faultOf(idJson, RPC.invalidRequest, 'Invalid request: not a JSON-RPC 2.0 message')
}

function refused(idJson: string, code: number, message: string): Received {
  return { batch: false, items: [faultOf(idJson, code, message)] }
}

function faultOf(idJson: string, code: number, message: string): Fault {
  return { fault: errorFrame(idJson, { code, message }) }
}
