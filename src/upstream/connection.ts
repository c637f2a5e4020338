/** One life of a server, from opening its link to the link's end: requests out, answers and messages in. */
import { asSluiceError, messageOf, SluiceError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { ellipsize } from '../base/utf8.js'
import { notificationFrame, requestFrame, responseIdAtEnds, resultFrame } from '../protocol/frame.js'
import type { Incoming, JsonRpcId, JsonRpcNotification, JsonRpcRequest } from '../protocol/messages.js'
import { InFlight } from './in-flight.js'
import { createInbound } from './inbound.js'
import type { Link, LinkEvents } from './link.js'
import type { AnswerHandler } from './upstream.js'
import type { UpstreamCompute } from './upstream-compute.js'
import type { ServerErrors } from './upstream-errors.js'

interface ConnectionEvents {
  request(incoming: Incoming<JsonRpcRequest>): void
  notification(incoming: Incoming<JsonRpcNotification>): void
  /** The server forgot our session; to be answered with `forget`, `initialize` and `replay`. */
  sessionLost(): void
  /** A request got an answer. */
  answered(): void
  /** A request did not reach the server (UPSTREAM_CONNECT), or was refused by it (UPSTREAM_REFUSED); others may go well. */
  failing(cause: SluiceError): void
  /** The link is down and all requests have failed; not called after `close`. */
  closed(cause: SluiceError): void
}

interface ConnectionOptions {
  /** The server's name, for the log. */
  readonly name: string
  readonly openLink: (events: LinkEvents) => Link
  /** Never gives the same number twice, nor 0. */
  readonly nextId: () => number
  readonly errors: ServerErrors
  /** Keep the bytes of requests, since the server may forget our session. */
  readonly keepFrames: boolean
  readonly maxMessageBytes: number
  readonly compute: UpstreamCompute
  readonly logger: Logger
}

interface AskOptions {
  readonly params?: object
  /** May be sent again if the server forgets our session [true]. */
  readonly replay?: boolean
}

const SHOWN_CHARS = 300
const QUOTED_CHARS = 80
const ID_AT_HEAD = /^\s*\{"jsonrpc":"2\.0","id":(\d{1,15}),"(?:result|error)"/
const METHOD_AT_HEAD = /^\s*\{(?:"jsonrpc":"2\.0",)?(?:"id":[^,]{1,40},)?"method":/

export class Connection {
  readonly link: Link
  readonly errors: ServerErrors
  readonly #options: ConnectionOptions
  readonly #events: ConnectionEvents
  readonly #inFlight: InFlight
  readonly #opening = new AbortController()
  readonly #lost = new Set<number>()
  #over: SluiceError | undefined
  #noise = 0

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    this.#options = options
    this.errors = options.errors
    this.#events = events
    this.#inFlight = new InFlight((id, timeoutMs) => this.#timedOut(id, timeoutMs))
    this.link = options.openLink(this.#linkEvents())
  }

  /** Requests without an answer. */
  get inFlight(): number {
    return this.#inFlight.size
  }

  /** @throws the cause if the connection is over */
  check(): void {
    if (this.#over) throw this.#over
  }

  async open(): Promise<void> {
    this.check()
    try {
      await this.link.open(this.#opening.signal)
    } catch (error) {
      throw this.#over ?? this.errors.named(asSluiceError(error, 'UPSTREAM_CONNECT'))
    }
  }

  request(frameOf: (id: number) => Uint8Array, handler: AnswerHandler, timeoutMs?: number): number {
    return this.#send(frameOf, handler, { timeoutMs, replay: true })
  }

  /** A request of our own: its response's bytes. */
  ask(method: string, { params, replay = true }: AskOptions = {}): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const handler: AnswerHandler = { answer: (frame) => resolve(frame), fail: reject }
      this.#send((id) => requestFrame(id, method, params), handler, { timeoutMs: undefined, replay })
    })
  }

  send(frame: Uint8Array): void {
    if (!this.#over) this.link.send(frame)
  }

  cancel(id: number, reason: string, notice?: Uint8Array): void {
    if (this.#inFlight.forget(id)) this.#tellCancelled(id, reason, notice)
  }

  touch(id: number): void {
    this.#inFlight.touch(id)
  }

  hold(id: number, held: boolean): void {
    this.#inFlight.hold(id, held)
  }

  /** Sends again what was lost with the server's session and still waits. */
  replay(): void {
    for (const requestId of this.#lost) {
      const frame = this.#inFlight.lostFrame(requestId)
      if (frame) this.link.send(frame, { requestId })
    }
    this.#lost.clear()
  }

  /** All requests fail with `cause`, those to come too, and the link is closed. */
  async close(cause: SluiceError): Promise<void> {
    this.#finish(cause)
    await this.link.close()
  }

  // --- internal ---

  #send(
    frameOf: (id: number) => Uint8Array,
    handler: AnswerHandler,
    options: { timeoutMs: number | undefined; replay: boolean },
  ) {
    const id = this.#options.nextId()
    const over = this.#over
    if (over) {
      queueMicrotask(() => handler.fail(over))
      return id
    }
    const frame = frameOf(id)
    const kept = this.#options.keepFrames && options.replay ? frame : undefined
    this.#inFlight.add(id, handler, { timeoutMs: options.timeoutMs, frame: kept })
    this.link.send(frame, { requestId: id })
    return id
  }

  #linkEvents(): LinkEvents {
    const { compute, logger, name } = this.#options
    const inbound = createInbound(compute, {
      answer: (id, frame, idSpan) => {
        this.#events.answered()
        if (!this.#inFlight.answer(id, frame, idSpan)) this.#log('upstream_late_answer', { id })
      },
      request: (incoming, idJson) => {
        if (this.#over) return
        if (incoming.message.method === 'ping') this.link.send(resultFrame(idJson, {}))
        else this.#events.request(incoming)
      },
      notification: (incoming) => {
        if (!this.#over) this.#events.notification(incoming)
      },
      broken: (frame) => this.#broken(frame),
      noise: (frame, why) => this.#noiseSeen(Buffer.from(frame.subarray(0, SHOWN_CHARS)).toString('utf8'), why),
      unread: (error) => logger.warn('upstream_frame_unread', { server: name, error: messageOf(error) }),
    })
    return {
      frame: inbound,
      requestFailed: (id, cause) => {
        // Nothing else goes well until somebody has logged in.
        if (cause.code === 'UPSTREAM_LOGIN') return this.#closed(cause)
        const named = this.errors.named(cause)
        if (cause.code === 'UPSTREAM_CONNECT' || cause.code === 'UPSTREAM_REFUSED') this.#events.failing(named)
        if (typeof id === 'number') this.#inFlight.fail(id, named)
      },
      tooLong: (head, bytes) => this.#tooLong(head, bytes),
      noise: (text) => this.#noiseSeen(text, 'no JSON object'),
      sessionLost: (pending) => this.#sessionLost(pending),
      closed: (cause) => this.#closed(cause),
    }
  }

  #closed(cause: SluiceError | undefined): void {
    if (this.#over) return
    const error = this.errors.named(cause ?? new SluiceError('UPSTREAM_EXITED', 'closed the connection'))
    this.#finish(error)
    this.#events.closed(error)
  }

  #finish(cause: SluiceError): void {
    if (this.#over) return
    this.#over = cause
    this.#opening.abort()
    this.#inFlight.failAll(cause)
  }

  #sessionLost(pending: readonly JsonRpcId[]): void {
    if (this.#over) return
    const error = this.errors.error('UPSTREAM_CONNECT', 'forgot our session again')
    for (const id of pending) {
      if (typeof id !== 'number') continue
      this.#lost.add(id)
      this.#inFlight.lose(id, error)
    }
    this.#events.sessionLost()
  }

  #timedOut(id: number, timeoutMs: number): void {
    this.#inFlight.fail(id, this.errors.error('UPSTREAM_TIMEOUT', `did not answer within ${timeoutMs} ms (callTimeout)`))
    this.#tellCancelled(id, `no answer within ${timeoutMs} ms`)
  }

  #tellCancelled(requestId: number, reason: string, notice?: Uint8Array): void {
    const frame = notice ?? notificationFrame('notifications/cancelled', { requestId, reason })
    if (!this.#over) this.link.send(frame, { cancels: requestId })
  }

  #tooLong(head: Uint8Array, bytes: number): void {
    const text = Buffer.from(head.subarray(0, 128)).toString('latin1')
    const limit = this.#options.maxMessageBytes
    this.#options.logger.warn('upstream_message_too_large', { server: this.#options.name, bytes, limit })
    if (METHOD_AT_HEAD.test(text)) return
    const id = Number(ID_AT_HEAD.exec(text)?.[1] ?? this.#inFlight.oldest)
    const detail = `sent a message of ${bytes} bytes, above the limit of ${limit} (maxMessageBytes)`
    this.#inFlight.fail(id, this.errors.error('MESSAGE_TOO_LARGE', detail))
  }

  /** A line that is no message. Where it begins or ends as the answer to a request, that request gets no other. */
  #broken(frame: Uint8Array): void {
    const text = Buffer.from(frame.subarray(0, SHOWN_CHARS)).toString('utf8')
    const id = responseIdAtEnds(frame)?.id ?? idOfBareAnswer(text)
    const cause = new SluiceError(
      'UPSTREAM_PROTOCOL',
      `answered with what is no valid message: ${ellipsize(text, QUOTED_CHARS)}`,
    )
    if (id === undefined || !this.#inFlight.fail(id, this.errors.named(cause))) this.#noiseSeen(text, 'no JSON-RPC message')
  }

  #noiseSeen(text: string, why: string): void {
    this.#noise++
    this.#log('upstream_noise', { why, text, count: this.#noise })
  }

  #log(event: string, fields: Readonly<Record<string, string | number>>): void {
    this.#options.logger.debug(event, { server: this.#options.name, ...fields })
  }
}

/** The id of a message that has nothing but one: neither result nor error. */
function idOfBareAnswer(text: string): number | undefined {
  const id = /^\{"jsonrpc":"2\.0","id":(\d{1,15})\}$/.exec(text)?.[1]
  return id === undefined ? undefined : Number(id)
}
