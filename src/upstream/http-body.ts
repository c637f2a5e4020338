/** Reads the body of an HTTP answer: whole and limited, its beginning as text, and the frames inside. */
import type { Readable } from 'node:stream'
import { asBuffer, frameFacts, LARGE_FRAME, onOneLine, parseMessage, responseIdAtEnds } from '../protocol/frame.js'
import { GatheredBytes } from '../protocol/gathered-bytes.js'
import { elementsOf, skipSpace } from '../protocol/json-spans.js'
import { isResponse, type JsonRpcId } from '../protocol/messages.js'
import { joinBytes } from './http-bytes.js'
import type { HttpAnswer } from './http-wire.js'

export type WholeBody =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  /** It was dropped. `bytes` is its size where the server told it, else what came. */
  | { readonly kind: 'too long'; readonly head: Uint8Array; readonly bytes: number }

/** A body that is only looked at is not waited for longer than this. */
const BEGINNING_WAIT_MS = 5000

/** Calls `visit` for each chunk. Rejects when the connection ends before the body does. */
export function eachChunk(body: Readable, visit: (chunk: Uint8Array) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    body.on('data', visit)
    body.once('end', resolve)
    body.once('error', reject)
    const closed = () => reject(new Error('the connection was closed'))
    if (body.destroyed) closed()
    else body.once('close', closed)
  })
}

/** The whole body, in an ArrayBuffer of its own. One above `maxBytes` is dropped with its connection. */
export async function readBody(answer: HttpAnswer, maxBytes: number): Promise<WholeBody> {
  const declared = answer.declaredBytes
  const enough = declared !== undefined && declared > maxBytes ? Math.min(maxBytes, LARGE_FRAME) : maxBytes
  const body = new GatheredBytes(maxBytes)
  let tooLong: WholeBody | undefined
  const reading = eachChunk(answer.body, (chunk) => {
    if (tooLong) return
    const bytes = body.length + chunk.length
    body.add(chunk.subarray(0, maxBytes - body.length))
    if (bytes <= enough) return
    tooLong = { kind: 'too long', head: body.head(LARGE_FRAME), bytes: Math.max(declared ?? 0, bytes) }
    body.clear()
    answer.drop()
  })
  try {
    await reading
  } catch (cause) {
    if (!tooLong) throw cause
  }
  return tooLong ?? { kind: 'whole', bytes: body.take() }
}

/** The first bytes of a body that is only shown or looked at; what was readable of one that broke. The rest is dropped. */
export async function readBeginning(answer: HttpAnswer, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let held = 0
  const reading = eachChunk(answer.body, (chunk) => {
    chunks.push(chunk)
    held += chunk.length
    if (held >= maxBytes) answer.drop()
  })
  const timer = setTimeout(answer.drop, BEGINNING_WAIT_MS)
  // A broken body is as good as a short one here.
  await reading.catch(() => answer.drop())
  clearTimeout(timer)
  return joinBytes(chunks, maxBytes)
}

/** The messages in a body or in the data of an event: one, or a batch. Each has no line break inside. Changes `bytes` in place. */
export function framesOf(bytes: Uint8Array): Uint8Array[] {
  const line = onOneLine(bytes)
  const start = skipSpace(line, line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0)
  if (line[start] === 0x5b) return elementsOf(line, start).map((span) => alone(line.subarray(span.start, span.end)))
  let end = line.length
  while (end > start && isBlank(line[end - 1])) end--
  return end > start ? [line.subarray(start, end)] : []
}

/**
 * What a frame is to the link: undefined if it is no JSON-RPC message, else with the id it answers if it is a response.
 * A large frame is not parsed; mostly its ends tell.
 */
export function readFrame(frame: Uint8Array): { readonly answers?: JsonRpcId } | undefined {
  if (frame.length <= LARGE_FRAME) {
    const message = parseMessage(frame)?.message
    if (!message) return undefined
    return isResponse(message) && message.id !== null && message.id !== undefined ? { answers: message.id } : {}
  }
  const ends = responseIdAtEnds(frame)
  if (ends) return { answers: ends.id }
  const head = SPACED_HEAD.exec(asBuffer(frame).toString('latin1', 0, 256))
  if (head) return { answers: Number(head[1] ?? head[2]) }
  const facts = frameFacts(frame)
  return facts && (facts.kind === 'response' ? { answers: facts.id } : {})
}

// --- internal ---

/** A response whose id comes first, as servers write it that put spaces between tokens or the id before the version. */
const SPACED_HEAD =
  /^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15})|"id"\s*:\s*(\d{1,15})\s*,\s*"jsonrpc"\s*:\s*"2\.0")\s*,\s*"(?:result|error)"\s*:/

/** Line breaks are spaces by then. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09
}

function alone(frame: Uint8Array): Uint8Array {
  return frame.length > LARGE_FRAME ? joinBytes([frame]) : frame
}
