/** The messages on their way to an HTTP server: which requests wait, what answers them, and what became of the others. */
import { SluiceError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { asBuffer } from '../protocol/frame.js'
import type { JsonRpcId } from '../protocol/messages.js'
import { framesOf, readFrame } from './http-body.js'
import type { LinkEvents } from './link.js'

/** A message on its way; a request waits for its answer too. */
export interface Call {
  readonly id: JsonRpcId | undefined
  readonly frame: Uint8Array
  /** Lets go of its connection. */
  drop(): void
}

const NOISE_CHARS = 200

export class HttpCalls {
  readonly #events: LinkEvents
  readonly #logger: Logger
  readonly #maxBytes: number
  readonly #waiting = new Map<JsonRpcId, Call>()
  /** Requests that were refused for their session once, so that no server makes us do it over and over. */
  readonly #refusedOnce = new Set<JsonRpcId>()
  #over = false

  constructor(events: LinkEvents, options: { readonly logger: Logger; readonly maxMessageBytes: number }) {
    this.#events = events
    this.#logger = options.logger
    this.#maxBytes = options.maxMessageBytes
  }

  add(frame: Uint8Array, id: JsonRpcId | undefined): Call {
    const call: Call = { id, frame, drop: () => undefined }
    if (id !== undefined) this.#waiting.set(id, call)
    return call
  }

  get(id: JsonRpcId | undefined): Call | undefined {
    return id === undefined ? undefined : this.#waiting.get(id)
  }

  /** Whether it is a request whose answer is still to come. */
  isWaiting(call: Call): boolean {
    return call.id !== undefined && this.#waiting.get(call.id) === call
  }

  forget(call: Call): void {
    if (!this.isWaiting(call) || call.id === undefined) return
    this.#waiting.delete(call.id)
    this.#refusedOnce.delete(call.id)
  }

  /**
   * Hands the frames in `bytes` on; those that answer a request end its waiting.
   * @param about the request on whose stream they came
   */
  deliver(bytes: Uint8Array, about?: JsonRpcId): void {
    for (const frame of framesOf(bytes)) {
      if (this.#over) return
      const read = readFrame(frame)
      const answered = this.get(read?.answers)
      if (answered) this.forget(answered)
      if (read) this.#events.frame(frame, about)
      else this.#events.noise(asBuffer(frame).toString('utf8', 0, NOISE_CHARS))
    }
  }

  /** A message above the limit came; if it was the answer to `call`, that is over. */
  tooLong(head: Uint8Array, bytes: number, call?: Call): void {
    if (this.#over) return
    this.#events.tooLong(head, bytes)
    if (call)
      this.fail(call, new SluiceError('MESSAGE_TOO_LARGE', `an answer of more than ${this.#maxBytes} bytes was dropped`))
  }

  /** Tells that no answer will come, once; of a message that wants none, it tells the log. */
  fail(call: Call, cause: SluiceError): void {
    if (this.#over) return
    if (call.id === undefined) this.#logger.debug('http.message-lost', { why: cause.detail })
    if (!this.isWaiting(call) || call.id === undefined) return
    this.forget(call)
    this.#events.requestFailed(call.id, cause)
  }

  /** Notes that a request was refused for its session. False if that happened to it before. */
  refuseOnce(call: Call): boolean {
    if (call.id === undefined || this.#refusedOnce.has(call.id)) return false
    this.#refusedOnce.add(call.id)
    return true
  }

  /** Gives a request back to the owner, who will send it again under the same id. */
  giveBack(call: Call): void {
    if (call.id !== undefined) this.#waiting.delete(call.id)
  }

  /** Nothing is told any more. */
  end(): void {
    this.#over = true
    this.#waiting.clear()
    this.#refusedOnce.clear()
  }
}
