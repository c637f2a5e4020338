/** Streamable HTTP, revisions 2025-03-26 to 2025-11-25: each message a POST, answers as JSON or as an event stream. */
import { asSluiceError, messageOf, SluiceError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { JsonRpcId } from '../protocol/messages.js'
import { readBody } from './http-body.js'
import { type Call, HttpCalls } from './http-calls.js'
import { EventStream, type StreamEnd } from './http-event-stream.js'
import { HttpOutbox } from './http-outbox.js'
import { type Refusal, readRefusal } from './http-refusal.js'
import { type Exchange, type HttpAnswer, HttpWire, type HttpWireOptions } from './http-wire.js'
import type { Link, LinkEvents, SendOptions } from './link.js'

export interface StreamableOptions extends HttpWireOptions {
  readonly maxMessageBytes: number
  readonly logger: Logger
  /** Told in place of `requestFailed` when the very first request is refused in a way that fits an older server. */
  readonly refusedFirst?: (frame: Uint8Array, id: JsonRpcId, cause: SluiceError) => void
}

const DELETE_WAIT_MS = 1000
const SESSION_ID = /^[\x21-\x7e]+$/

export class StreamableLink implements Link {
  readonly #options: StreamableOptions
  readonly #events: LinkEvents
  readonly #wire: HttpWire
  readonly #outbox = new HttpOutbox()
  readonly #calls: HttpCalls
  readonly #streams = new Set<EventStream>()
  /** What was meant for a session that is gone; it goes on when the new one is ready. */
  #held: Call[] = []
  #listener: EventStream | undefined
  #session: string | undefined
  #version: string | undefined
  /** Counts the resets. */
  #era = 0
  #answered = false
  #ready = false
  #lost = false
  #isClosing = false
  #closing: Promise<void> | undefined

  constructor(options: StreamableOptions, events: LinkEvents) {
    this.#options = options
    this.#events = events
    this.#wire = new HttpWire(options)
    this.#calls = new HttpCalls(events, options)
  }

  async open(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new SluiceError('ABORTED')
    this.#wire.check()
  }

  send(frame: Uint8Array, options: SendOptions = {}): void {
    if (this.#isClosing) return
    const call = this.#calls.add(frame, options.requestId)
    const cancelled = this.#calls.get(options.cancels)
    if (cancelled) this.#calls.forget(cancelled)
    const era = this.#era
    const post = () => this.#post(call, era)
    this.#outbox.add(cancelled ? () => post().finally(() => cancelled.drop()) : post, call.id === undefined)
  }

  setProtocolVersion(version: string): void {
    this.#version = version
  }

  initialized(): void {
    this.#ready = true
    this.#outbox.add(async () => this.#listen(), false)
    for (const call of this.#held.splice(0)) this.#outbox.add(() => this.#post(call, this.#era), false)
  }

  reset(): void {
    this.#era++
    this.#session = undefined
    this.#version = undefined
    this.#ready = false
    this.#lost = false
    this.#listener?.stop()
    this.#listener = undefined
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  // --- internal ---

  async #end(): Promise<void> {
    this.#isClosing = true
    this.#calls.end()
    this.#outbox.clear()
    for (const stream of this.#streams) stream.stop()
    this.#wire.dropAll()
    if (this.#session !== undefined) await this.#deleteSession()
    this.#wire.close()
    this.#events.closed(undefined)
  }

  async #deleteSession(): Promise<void> {
    const exchange = this.#wire.exchange({ method: 'DELETE', headers: this.#headers(this.#session) })
    const timer = setTimeout(exchange.drop, DELETE_WAIT_MS)
    try {
      const answer = await exchange.answer
      answer.drop()
    } catch (thrown) {
      this.#options.logger.debug('http.delete-failed', { server: this.#wire.name, why: messageOf(thrown) })
    } finally {
      clearTimeout(timer)
    }
  }

  #headers(session: string | undefined): Record<string, string> {
    return {
      ...(session !== undefined && { 'mcp-session-id': session }),
      ...(this.#version !== undefined && { 'mcp-protocol-version': this.#version }),
    }
  }

  /** Resolves when the server has accepted the message, or it failed. */
  async #post(call: Call, era: number): Promise<void> {
    if (call.id !== undefined && !this.#calls.isWaiting(call)) return
    if (era !== this.#era && !this.#ready) {
      this.#held.push(call)
      return
    }
    const session = this.#session
    const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
    const headers = { ...accept, ...this.#headers(session) }
    const exchange = this.#wire.exchange({ method: 'POST', headers, body: call.frame })
    call.drop = exchange.drop
    try {
      const answer = await exchange.answer
      this.#receive(call, answer, session).catch((thrown) => {
        answer.drop()
        this.#calls.fail(call, this.#broken(thrown))
      })
    } catch (thrown) {
      this.#calls.fail(call, asSluiceError(thrown, 'UPSTREAM_CONNECT'))
    }
  }

  async #receive(call: Call, answer: HttpAnswer, session: string | undefined): Promise<void> {
    if (answer.status < 200 || answer.status > 299) {
      this.#refused(call, await readRefusal(answer, this.#wire), session)
      return
    }
    this.#answered = true
    this.#adoptSession(answer, session)
    if (answer.mediaType === 'text/event-stream') await this.#followAnswer(call, answer, session)
    else if (answer.status === 202 || answer.status === 204) answer.body.resume()
    else await this.#takeBody(call, answer)
    if (!this.#calls.isWaiting(call)) return
    // Some servers accept a request and answer it on the stream that the client listens to.
    if (answer.status === 202 && this.#listener?.connected) return
    this.#calls.fail(
      call,
      new SluiceError(
        'UPSTREAM_PROTOCOL',
        `${this.#wire.name} answered HTTP ${answer.status} without an answer to the request`,
      ),
    )
  }

  /** The answer to the first message of a session names it. An answer that came late names an older one. */
  #adoptSession(answer: HttpAnswer, sentWith: string | undefined): void {
    const named = answer.headers['mcp-session-id']
    if (sentWith !== undefined || this.#session !== undefined || typeof named !== 'string') return
    if (SESSION_ID.test(named)) this.#session = named
    else this.#options.logger.warn('http.bad-session-id', { server: this.#wire.name })
  }

  async #takeBody(call: Call, answer: HttpAnswer): Promise<void> {
    const body = await readBody(answer, this.#options.maxMessageBytes)
    if (body.kind === 'whole') this.#calls.deliver(body.bytes, call.id)
    else this.#calls.tooLong(body.head, body.bytes, call)
  }

  async #followAnswer(call: Call, answer: HttpAnswer, session: string | undefined): Promise<void> {
    const wanted = () => this.#calls.isWaiting(call)
    const stream = this.#stream(call.id, session, wanted)
    call.drop = () => stream.stop()
    const end = await this.#run(stream, answer)
    if (end.kind === 'done' || !wanted()) return
    this.#calls.fail(call, this.#lostAnswer(end))
    if (end.kind === 'refused' && end.status === 404) this.#loseSession(session)
  }

  #lostAnswer(end: Exclude<StreamEnd, { kind: 'done' }>): SluiceError {
    const why = end.kind === 'refused' ? `the server answered HTTP ${end.status}` : end.cause.detail
    const code = end.kind === 'failed' ? end.cause.code : 'UPSTREAM_CONNECT'
    return new SluiceError(code, `the stream from ${this.#wire.name} ended before the answer came (${why})`)
  }

  #listen(): void {
    if (this.#isClosing || !this.#ready) return
    const session = this.#session
    const stream = this.#stream(undefined, session, () => this.#listener === stream)
    this.#listener = stream
    void this.#run(stream).then((end) => {
      if (this.#listener === stream) this.#listener = undefined
      if (end.kind !== 'refused') return
      this.#options.logger.debug('http.no-listening', { server: this.#wire.name, status: end.status })
      if (end.status === 404 && stream.everConnected) this.#loseSession(session)
    })
  }

  /** @param about the request that it answers; without one it is the listener */
  #stream(about: JsonRpcId | undefined, session: string | undefined, wanted: () => boolean): EventStream {
    const connect = (lastEventId: string | undefined): Exchange => {
      const resume = lastEventId === undefined ? {} : { 'last-event-id': headerText(lastEventId) }
      return this.#wire.exchange({
        method: 'GET',
        headers: { accept: 'text/event-stream', ...this.#headers(session), ...resume },
      })
    }
    return new EventStream({
      role: about === undefined ? 'listener' : 'answer',
      connect,
      wanted,
      maxBytes: this.#options.maxMessageBytes,
      message: (data) => this.#calls.deliver(data, about),
      tooLong: (head, bytes) => this.#calls.tooLong(head, bytes),
    })
  }

  async #run(stream: EventStream, answer?: HttpAnswer): Promise<StreamEnd> {
    if (this.#isClosing) {
      answer?.drop()
      return { kind: 'done' }
    }
    this.#streams.add(stream)
    const end = await stream.run(answer)
    this.#streams.delete(stream)
    return end
  }

  #refused(call: Call, refusal: Refusal, session: string | undefined): void {
    if (this.#isClosing) return
    const isAnswer = call.id !== undefined && refusal.answers === call.id
    if (session !== undefined && refusal.sessionGone) this.#replaceSession(call, session)
    else if (isAnswer) this.#calls.deliver(refusal.body)
    else if (this.#options.refusedFirst && !this.#answered && call.id !== undefined && refusal.fitsOlderServer) {
      this.#calls.forget(call)
      this.#options.refusedFirst(call.frame, call.id, refusal.cause)
    } else this.#calls.fail(call, refusal.cause)
  }

  /** The server does not know the session and has not looked at the request, which may therefore be sent again. */
  #replaceSession(call: Call, session: string): void {
    if (call.id === undefined || !this.#calls.isWaiting(call)) {
      this.#loseSession(session)
    } else if (!this.#calls.refuseOnce(call)) {
      this.#calls.fail(
        call,
        new SluiceError('UPSTREAM_PROTOCOL', `${this.#wire.name} does not know the session that it has just given`),
      )
    } else if (session === this.#session && !this.#lost) {
      this.#calls.giveBack(call)
      this.#loseSession(session, [call.id])
    } else if (this.#ready && !this.#lost) this.#outbox.add(() => this.#post(call, this.#era), false)
    else this.#held.push(call)
  }

  #loseSession(session: string | undefined, pending: readonly JsonRpcId[] = []): void {
    if (this.#isClosing || session === undefined || session !== this.#session || this.#lost) return
    this.#lost = true
    this.#listener?.stop()
    this.#listener = undefined
    this.#events.sessionLost(pending)
  }

  #broken(thrown: unknown): SluiceError {
    const detail = `the connection to ${this.#wire.name} broke before the answer was complete`
    return new SluiceError('UPSTREAM_CONNECT', detail, { cause: thrown })
  }
}

/** An event id may hold any text; a header takes its UTF-8 bytes. */
function headerText(id: string): string {
  return Buffer.from(id, 'utf8').toString('latin1')
}
