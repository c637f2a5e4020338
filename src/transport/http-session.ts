/** One client over HTTP: its requests in flight, its streams, and when it has been idle for too long. */
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { ClientPort, ClientSession, RequestKey, SessionHost } from '../gateway/port.js'
import { asRecord, type Incoming, isNotification, isRequest } from '../protocol/messages.js'
import type { Identity } from './access.js'
import { agreedRevision } from './agreed-revision.js'
import { EventBuffer } from './event-buffer.js'
import { EventStream } from './event-stream.js'
import { Exchange } from './exchange.js'
import { type Headers, type Refusal, replyEmpty, SESSION_GONE } from './reply.js'
import { type Accepts, FIRST_WITH_PRIMING } from './request-facts.js'
import { SseWriter } from './sse-writer.js'

interface HttpSessionOptions {
  readonly id: string
  /** Who opened it; nobody else may use it. */
  readonly owner: Identity
  readonly host: SessionHost
  readonly idleMs: number
  /** Nothing happened for `idleMs`, or `initialize` failed: the session is to be closed. */
  readonly onOver: (session: HttpSession, reason: string) => void
}

export interface Delivery {
  readonly response: ServerResponse
  readonly accepts: Accepts
  readonly batch: boolean
  /** The revision the request names, if it does. */
  readonly revision: string | undefined
}

const BUFFER_BYTES = 4 * 1024 * 1024
const MAX_TIMER_MS = 2 ** 31 - 1
const EVENT_ID = /^([0-9a-z.]{1,40})-(\d{1,15})$/
const ENDED: Refusal = { status: 404, message: 'Session ended', code: SESSION_GONE }

export class HttpSession implements ClientPort {
  readonly id: string
  readonly owner: Identity
  readonly #options: HttpSessionOptions
  readonly #session: ClientSession
  readonly #buffer = new EventBuffer<EventStream>(BUFFER_BYTES)
  readonly #exchanges = new Map<RequestKey, Exchange>()
  /** What belongs to no request goes here; the client reads it by GET. */
  readonly #general: EventStream
  readonly #idle: NodeJS.Timeout
  readonly #salt = randomBytes(6).toString('hex')
  #streams = 0
  /** The `initialize` that opened the session, until it is answered. */
  #initialize: RequestKey | undefined
  #opened = false
  #revision: string | undefined
  #closed: Promise<void> | undefined

  constructor(options: HttpSessionOptions) {
    this.id = options.id
    this.owner = options.owner
    this.#options = options
    this.#general = this.#newStream()
    this.#idle = setTimeout(() => this.#checkIdle(), Math.min(options.idleMs, MAX_TIMER_MS))
    this.#idle.unref()
    this.#session = options.host.openSession({ id: options.id, transport: 'http', clientName: options.owner.name }, this)
  }

  /** The negotiated revision; until that is known, the one the client asked for. */
  get revision(): string | undefined {
    return this.#revision
  }

  answer(request: RequestKey, frame: Uint8Array): void {
    const exchange = this.#exchanges.get(request)
    if (!exchange) return
    this.#exchanges.delete(request)
    const failed = request === this.#initialize && !this.#initialized(frame)
    exchange.answer(request, frame)
    if (failed) this.#options.onOver(this, 'initialize failed')
  }

  push(frame: Uint8Array, about?: RequestKey): void {
    if (this.#closed !== undefined) return
    const exchange = about === undefined ? undefined : this.#exchanges.get(about)
    if (!exchange?.push(frame)) this.#general.send(frame)
  }

  /** Hands over the messages of one POST and sees to its response. */
  deliver(messages: readonly Incoming[], delivery: Delivery): Refusal | undefined {
    this.touch()
    const keys = messages.flatMap(({ message }) => (isRequest(message) ? [JSON.stringify(message.id)] : []))
    const taken = keys.find((key, i) => this.#exchanges.has(key) || keys.indexOf(key) !== i)
    if (taken !== undefined) return { status: 400, message: `Invalid request: a request with id ${taken} is in flight already` }
    if (keys.length === 0) {
      for (const incoming of messages) this.#receive(incoming)
      replyEmpty(delivery.response, 202)
      return undefined
    }
    const exchange = this.#newExchange(keys, delivery, this.#opening(messages))
    for (const key of keys) this.#exchanges.set(key, exchange)
    for (const incoming of messages) this.#receive(incoming)
    exchange.start()
    return undefined
  }

  /** Sends the general stream, or the rest of the one that `lastEventId` names, over `response`. */
  listen(response: ServerResponse, lastEventId: string | undefined): Refusal | undefined {
    this.touch()
    if (lastEventId === undefined) {
      this.#connect(this.#general, response, { prime: (this.#revision ?? '') >= FIRST_WITH_PRIMING })
      return undefined
    }
    const [, id = '', event = ''] = EVENT_ID.exec(lastEventId) ?? []
    const stream = this.#streamOf(id)
    const after = Number(event)
    const resumption = stream?.resumption(after) ?? 'unknown'
    if (resumption === 'over') replyEmpty(response, 204)
    else if (stream && resumption === 'possible') this.#connect(stream, response, { after })
    else {
      const why =
        resumption === 'lost' ? 'events after it are no longer kept' : 'there is no such event, or it is no longer kept'
      return { status: 400, message: `Last-Event-ID "${lastEventId}" cannot be resumed: ${why}` }
    }
    return undefined
  }

  /** Postpones the end for idleness. */
  touch(): void {
    if (!this.#closed) this.#idle.refresh()
  }

  keepAlive(): void {
    this.#general.keepAlive()
    for (const stream of this.#openStreams()) stream.keepAlive()
  }

  /** Ends streams and waiting requests at once, then the session behind it. Idempotent. */
  close(refusal = ENDED): Promise<void> {
    this.#closed ??= this.#end(refusal)
    return this.#closed
  }

  // --- internal ---

  #newStream(): EventStream {
    return new EventStream(`${this.#salt}.${(this.#streams++).toString(36)}`, this.#buffer)
  }

  #newExchange(keys: readonly RequestKey[], delivery: Delivery, headers: Headers): Exchange {
    const { response, accepts, batch, revision = this.#revision ?? '' } = delivery
    const prime = revision >= FIRST_WITH_PRIMING
    const onClosed = () => this.touch()
    return new Exchange({ response, accepts, keys, batch, prime, headers, openStream: () => this.#newStream(), onClosed })
  }

  /** Notes an `initialize`, whose answer carries the session's id. */
  #opening(messages: readonly Incoming[]): Headers {
    const message = messages[0]?.message
    if (this.#opened || !message || !isRequest(message) || message.method !== 'initialize') return {}
    this.#opened = true
    this.#initialize = JSON.stringify(message.id)
    const asked = message.params?.['protocolVersion']
    if (typeof asked === 'string') this.#revision = asked
    return { 'mcp-session-id': this.id }
  }

  /** Whether the answer to `initialize` is a result; the revision is read from it. */
  #initialized(frame: Uint8Array): boolean {
    this.#initialize = undefined
    const agreed = agreedRevision(frame)
    if (agreed !== undefined) this.#revision = agreed
    return agreed !== undefined
  }

  #receive(incoming: Incoming): void {
    this.#session.receive(incoming)
    const { message } = incoming
    if (!isNotification(message) || message.method !== 'notifications/cancelled') return
    const key = JSON.stringify(asRecord(message.params)?.['requestId'])
    const exchange = this.#exchanges.get(key)
    this.#exchanges.delete(key)
    exchange?.cancelled(key)
  }

  #connect(stream: EventStream, response: ServerResponse, from: { after?: number; prime?: boolean }): void {
    const writer: SseWriter = new SseWriter(response, {}, () => {
      stream.detach(writer)
      this.touch()
    })
    stream.attach(writer, from)
  }

  #streamOf(id: string): EventStream | undefined {
    if (id === this.#general.id) return this.#general
    for (const stream of this.#openStreams()) if (stream.id === id) return stream
    return this.#buffer.streamOf(id)
  }

  #openStreams(): Set<EventStream> {
    const streams = [...this.#exchanges.values()].flatMap(({ stream }) => stream ?? [])
    return new Set(streams)
  }

  #checkIdle(): void {
    const inUse =
      this.#session.busy || this.#general.connected || [...this.#exchanges.values()].some(({ connected }) => connected)
    if (inUse) this.#idle.refresh()
    else this.#options.onOver(this, 'idle')
  }

  #end(refusal: Refusal): Promise<void> {
    clearTimeout(this.#idle)
    for (const exchange of new Set(this.#exchanges.values())) exchange.abandon(refusal)
    this.#exchanges.clear()
    this.#general.finish()
    return this.#session.close()
  }
}
