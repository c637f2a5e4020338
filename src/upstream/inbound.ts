/** Sorts what a server sends: answers, requests, notifications, noise. Large frames are told apart without parsing them here. */
import { asMessage, type FrameFacts, frameFacts, LARGE_FRAME, parseJson, responseIdAtEnds } from '../protocol/frame.js'
import { type Span, textOf } from '../protocol/json-spans.js'
import {
  type Incoming,
  isNotification,
  isRequest,
  type JsonRpcId,
  type JsonRpcNotification,
  type JsonRpcRequest,
} from '../protocol/messages.js'
import type { LinkEvents } from './link.js'
import type { UpstreamCompute } from './upstream-compute.js'

export interface InboundEvents {
  answer(id: number, frame: Uint8Array, idSpan: Span): void
  /**
   * @param idJson the JSON text of its id
   * The message of a large frame has no params; the frame has all.
   */
  request(incoming: Incoming<JsonRpcRequest>, idJson: string): void
  notification(incoming: Incoming<JsonRpcNotification>): void
  /** It is no valid message, whatever it looks like. */
  broken(frame: Uint8Array): void
  /** It is an answer to nothing. */
  noise(frame: Uint8Array, why: string): void
  /** The pool failed to read a large frame, which is lost. */
  unread(error: unknown): void
}

/** Takes the frames of one connection. They stay in their order: those behind one that has to go to the pool wait for it. */
export function createInbound(compute: UpstreamCompute, events: InboundEvents): LinkEvents['frame'] {
  let behind: Parameters<LinkEvents['frame']>[] | undefined
  const take: LinkEvents['frame'] = (frame, about) => {
    if (behind) {
      behind.push([frame, about])
      return
    }
    const large = frame.length > LARGE_FRAME
    const ends = large ? responseIdAtEnds(frame) : undefined
    if (large && !endsAsObject(frame)) events.broken(frame)
    else if (ends) events.answer(ends.id, frame, ends.idSpan)
    else if (!large) readSmall(frame, about, events)
    else {
      behind = []
      void readLarge(frame, about, { compute, events }).finally(() => {
        const waiting = behind ?? []
        behind = undefined
        for (const next of waiting) take(...next)
      })
    }
  }
  return take
}

// --- internal ---

const CLOSE_BRACE = 0x7d
const SPACE = 0x20

/** A large frame is not parsed, but one that was cut off shows it at its end. */
function endsAsObject(frame: Uint8Array): boolean {
  let last = frame.length - 1
  while (last > 0 && (frame[last] ?? 0) <= SPACE) last--
  return frame[last] === CLOSE_BRACE
}

type About = JsonRpcId | undefined

function readSmall(frame: Uint8Array, about: About, events: InboundEvents): void {
  const value = parseJson(frame)
  if (value === undefined) {
    events.broken(frame)
    return
  }
  const message = asMessage(value)
  if (!message) events.broken(frame)
  else if (isNotification(message)) events.notification({ frame, message, about })
  else if (isRequest(message)) events.request({ frame, message, about }, idJsonOf(frame, message))
  else {
    const ends = responseIdAtEnds(frame)
    if (ends && ends.id === message.id) events.answer(ends.id, frame, ends.idSpan)
    else dispatch({ frame, facts: frameFacts(frame), about }, events)
  }
}

function idJsonOf(frame: Uint8Array, message: JsonRpcRequest): string {
  const facts = frameFacts(frame)
  return facts && 'idSpan' in facts ? textOf(frame, facts.idSpan) : JSON.stringify(message.id)
}

function readLarge(frame: Uint8Array, about: About, to: { compute: UpstreamCompute; events: InboundEvents }): Promise<void> {
  return to.compute.frameFacts(frame).then(
    (read) => dispatch({ ...read, about }, to.events),
    (error: unknown) => to.events.unread(error),
  )
}

interface Read {
  readonly frame: Uint8Array
  readonly facts: FrameFacts | undefined
  readonly about: About
}

function dispatch({ frame, facts, about }: Read, events: InboundEvents): void {
  if (facts?.kind === 'notification') {
    events.notification({ frame, message: { jsonrpc: '2.0', method: facts.method }, about })
  } else if (facts?.kind === 'request') {
    const message: JsonRpcRequest = { jsonrpc: '2.0', id: facts.id, method: facts.method }
    events.request({ frame, message, about }, textOf(frame, facts.idSpan))
  } else if (typeof facts?.id === 'number') {
    events.answer(facts.id, frame, facts.idSpan)
  } else {
    events.noise(frame, 'no message, or an answer to no request')
  }
}
