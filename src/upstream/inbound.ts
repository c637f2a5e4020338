/** Sorts what a server sends: answers, requests, notifications, noise. Large frames are told apart without parsing them here. */
import { type FrameFacts, frameFacts, LARGE_FRAME, parseMessage, responseIdAtEnds } from '../protocol/frame.js'
import { type Span, textOf } from '../protocol/json-spans.js'
import {
  type Incoming,
  isNotification,
  isRequest,
  type JsonRpcNotification,
  type JsonRpcRequest,
} from '../protocol/messages.js'
import type { UpstreamCompute } from './upstream-compute.js'

export interface InboundEvents {
  answer(id: number, frame: Uint8Array, idSpan: Span): void
  /**
   * @param idJson the JSON text of its id
   * The message of a large frame has no params; the frame has all.
   */
  request(incoming: Incoming<JsonRpcRequest>, idJson: string): void
  notification(incoming: Incoming<JsonRpcNotification>): void
  /** It is no JSON-RPC message, or an answer to nothing. */
  noise(frame: Uint8Array, why: string): void
  /** The pool failed to read a large frame, which is lost. */
  unread(error: unknown): void
}

/** Answers that have to go to the pool first may overtake, or be overtaken by, others. */
export function createInbound(compute: UpstreamCompute, events: InboundEvents): (frame: Uint8Array) => void {
  return (frame) => {
    const ends = frame.length > LARGE_FRAME ? responseIdAtEnds(frame) : undefined
    if (ends) events.answer(ends.id, frame, ends.idSpan)
    else if (frame.length > LARGE_FRAME) readLarge(frame, compute, events)
    else readSmall(frame, events)
  }
}

// --- internal ---

/** A frame whose ends are those of an answer is one: its inside is for the client to read, as if there were no gateway. */
function readSmall(frame: Uint8Array, events: InboundEvents): void {
  const ends = responseIdAtEnds(frame)
  if (ends) {
    events.answer(ends.id, frame, ends.idSpan)
    return
  }
  const message = parseMessage(frame)?.message
  if (!message) events.noise(frame, 'no JSON-RPC message')
  else if (isNotification(message)) events.notification({ frame, message })
  else if (isRequest(message)) events.request({ frame, message }, idJsonOf(frame, message))
  else dispatch(frame, frameFacts(frame), events)
}

function idJsonOf(frame: Uint8Array, message: JsonRpcRequest): string {
  const facts = frameFacts(frame)
  return facts && 'idSpan' in facts ? textOf(frame, facts.idSpan) : JSON.stringify(message.id)
}

function readLarge(frame: Uint8Array, compute: UpstreamCompute, events: InboundEvents): void {
  compute.frameFacts(frame).then(
    (read) => dispatch(read.frame, read.facts, events),
    (error: unknown) => events.unread(error),
  )
}

function dispatch(frame: Uint8Array, facts: FrameFacts | undefined, events: InboundEvents): void {
  if (facts?.kind === 'notification') {
    events.notification({ frame, message: { jsonrpc: '2.0', method: facts.method } })
  } else if (facts?.kind === 'request') {
    const message: JsonRpcRequest = { jsonrpc: '2.0', id: facts.id, method: facts.method }
    events.request({ frame, message }, textOf(frame, facts.idSpan))
  } else if (typeof facts?.id === 'number') {
    events.answer(facts.id, frame, facts.idSpan)
  } else {
    events.noise(frame, 'no message, or an answer to no request')
  }
}
