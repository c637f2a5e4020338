/** One POST with requests in it, until all of them are answered: as JSON if the answers come first and soon and the client does not prefer it otherwise, else as a stream of events. */
import type { ServerResponse } from 'node:http'
import type { RequestKey } from '../gateway/port.js'
import { arrayOf } from './batches.js'
import type { EventStream } from './event-stream.js'
import { type Headers, type Refusal, refuse, replyBytes, replyEmpty } from './reply.js'
import type { Accepts } from './request-facts.js'
import { SseWriter } from './sse-writer.js'

export interface ExchangeOptions {
  readonly response: ServerResponse
  readonly accepts: Accepts
  /** The requests in the body, at least one. */
  readonly keys: readonly RequestKey[]
  /** Whether the body was an array, and the answer is to be one. */
  readonly batch: boolean
  /** Whether a stream begins with an event without data. */
  readonly prime: boolean
  /** Sent with the answer, whichever form it takes. */
  readonly headers: Headers
  /** Called once, when the answer becomes a stream. */
  readonly openStream: () => EventStream
  /** The exchange or its connection is over. */
  readonly onClosed: () => void
}

/** An answer that takes longer than this becomes a stream. */
const PATIENCE_MS = 100

export class Exchange {
  readonly #options: ExchangeOptions
  readonly #waiting: Set<RequestKey>
  #answers: Uint8Array[] = []
  #late: NodeJS.Timeout | undefined
  #stream: EventStream | undefined

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.#waiting = new Set(options.keys)
  }

  /** Whether the client waits on a connection for the rest. */
  get connected(): boolean {
    return this.#waiting.size > 0 && (this.#stream ? this.#stream.connected : !this.#options.response.destroyed)
  }

  get stream(): EventStream | undefined {
    return this.#stream
  }

  /** The messages were delivered; what is not answered by now is waited for. */
  start(): void {
    if (this.#waiting.size === 0 || this.#stream || !this.#options.accepts.events) return
    this.#late = setTimeout(beginStream, PATIENCE_MS, this)
    this.#late.unref()
  }

  answer(key: RequestKey, frame: Uint8Array): void {
    this.#waiting.delete(key)
    if (this.#stream) this.#stream.send(frame)
    else this.#answers.push(frame)
    this.#settle()
  }

  /** Takes a message that belongs to one of its requests; false if the client cannot be reached here. */
  push(frame: Uint8Array): boolean {
    this.beginStream()
    if (!this.#stream?.reachable) return false
    this.#stream.send(frame)
    return true
  }

  /** The client cancelled a request: no answer will come. */
  cancelled(key: RequestKey): void {
    this.#waiting.delete(key)
    this.#settle()
  }

  /** The session ended with requests unanswered. */
  abandon(refusal: Refusal): void {
    clearTimeout(this.#late)
    this.#waiting.clear()
    if (this.#stream) this.#stream.finish()
    else refuse(this.#options.response, refusal)
  }

  beginStream(): void {
    const { response, accepts, headers, prime, openStream, onClosed } = this.#options
    if (this.#stream || !accepts.events || response.destroyed) return
    clearTimeout(this.#late)
    const stream = openStream()
    const writer: SseWriter = new SseWriter(response, headers, () => {
      stream.detach(writer)
      onClosed()
    })
    this.#stream = stream
    stream.attach(writer, { prime })
    for (const frame of this.#answers) stream.send(frame)
    this.#answers = []
  }

  // --- internal ---

  #settle(): void {
    if (this.#waiting.size > 0) return
    clearTimeout(this.#late)
    if (!this.#stream && this.#options.accepts.eventsFirst && this.#answers.length > 0) this.beginStream()
    if (this.#stream) this.#stream.finish()
    else this.#reply()
    this.#options.onClosed()
  }

  #reply(): void {
    const { response, headers, batch } = this.#options
    const [first] = this.#answers
    if (!first) replyEmpty(response, 202, headers)
    else replyBytes(response, batch ? arrayOf(this.#answers) : first, headers)
    this.#answers = []
  }
}

function beginStream(exchange: Exchange): void {
  exchange.beginStream()
}
