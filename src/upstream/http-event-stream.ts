/** An event stream that outlives its connections: it is opened again, with the last event's id, for as long as it is wanted. */
import { asSluiceError, SluiceError } from '../base/errors.js'
import { eachChunk } from './http-body.js'
import type { Exchange, HttpAnswer } from './http-wire.js'
import { SseParser } from './sse-parser.js'

interface EventStreamOptions {
  /** Asks for the stream, or for what came on it after an event. */
  readonly connect: (lastEventId: string | undefined) => Exchange
  /** The data of a `message` event; never empty. */
  readonly message: (data: Uint8Array) => void
  readonly tooLong: (head: Uint8Array, bytes: number) => void
  readonly maxBytes: number
  /** Whether something is still to come; asked after each connection. */
  readonly wanted: () => boolean
  /**
   * `answer`: the stream carries the answer to a request, so it goes on only after an event id, and not for ever.
   * `listener`: it carries what the server says by itself.
   */
  readonly role: 'answer' | 'listener'
}

/** Why a stream ended for good: nobody wants it, the server refused it, or it broke and cannot go on. */
export type StreamEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'failed'; readonly cause: SluiceError }

const FIRST_DELAY_MS = 500
const MIN_DELAY_MS = 20
const MAX_BACKOFF_MS = 30_000
const MAX_TIMER_MS = 2 ** 31 - 1
/** How often in a row connecting may fail before the answer is given up. */
const ANSWER_ATTEMPTS = 5

export class EventStream {
  readonly #options: EventStreamOptions
  #lastEventId: string | undefined
  #retryMs: number | undefined
  /** Attempts to connect in a row that failed. */
  #failures = 0
  /** Connections in a row on which nothing came, and for which the server had not asked us to come again. */
  #fruitless = 0
  #lastFailure: SluiceError | undefined
  #stopped = false
  #connected = false
  #everConnected = false
  #drop: (() => void) | undefined
  #wake: (() => void) | undefined

  constructor(options: EventStreamOptions) {
    this.#options = options
  }

  /** Whether a connection is open at this moment. */
  get connected(): boolean {
    return this.#connected
  }

  /** Whether it was ever open. */
  get everConnected(): boolean {
    return this.#everConnected
  }

  /** Reads until the stream ends for good. Never rejects. `answer` is the first connection where there is one already. */
  async run(answer?: HttpAnswer): Promise<StreamEnd> {
    let open = answer
    for (let first = true; !this.#stopped; first = false) {
      if (!open && !first) await this.#pause()
      if (this.#stopped) break
      const opened: HttpAnswer | StreamEnd | undefined = open ?? (await this.#connect())
      open = undefined
      if (opened && 'kind' in opened) return opened
      const cause = opened && (await this.#read(opened))
      if (this.#stopped || !this.#options.wanted()) break
      const end = this.#hopeless(cause)
      if (end) return end
    }
    return { kind: 'done' }
  }

  /** Ends it now; `run` resolves. */
  stop(): void {
    this.#stopped = true
    this.#drop?.()
    this.#wake?.()
  }

  // --- internal ---

  /** The open stream; how it ended for good; or undefined where trying again may help. */
  async #connect(): Promise<HttpAnswer | StreamEnd | undefined> {
    const exchange = this.#options.connect(this.#lastEventId || undefined)
    this.#drop = exchange.drop
    try {
      const answer = await exchange.answer
      if (answer.status === 200 && answer.mediaType === 'text/event-stream') return answer
      answer.drop()
      if (!mayPass(answer.status)) return { kind: 'refused', status: answer.status }
      this.#lastFailure = new SluiceError('UPSTREAM_CONNECT', `the server answered HTTP ${answer.status}`)
    } catch (thrown) {
      this.#lastFailure = asSluiceError(thrown, 'UPSTREAM_CONNECT')
      if (this.#lastFailure.code === 'UPSTREAM_LOGIN' || this.#lastFailure.code === 'UPSTREAM_SCOPE') {
        return { kind: 'failed', cause: this.#lastFailure }
      }
    }
    this.#failures++
    return undefined
  }

  async #read(answer: HttpAnswer): Promise<SluiceError | undefined> {
    const { message, tooLong, role } = this.#options
    let fruitful = false
    let overflow: SluiceError | undefined
    const parser = new SseParser(this.#options.maxBytes, {
      event: ({ type, data }) => {
        fruitful = true
        if (type === 'message' && data.length > 0 && !this.#stopped) message(data)
      },
      tooLong: (head, bytes) => {
        if (this.#stopped) return
        tooLong(head, bytes)
        if (role === 'listener') return
        overflow = new SluiceError('MESSAGE_TOO_LARGE', `a message of more than ${this.#options.maxBytes} bytes was dropped`)
        answer.drop()
      },
    })
    this.#drop = answer.drop
    this.#connected = true
    this.#everConnected = true
    this.#failures = 0
    try {
      await eachChunk(answer.body, (chunk) => {
        if (!overflow) parser.push(chunk)
      })
    } catch (thrown) {
      this.#lastFailure = new SluiceError('UPSTREAM_CONNECT', 'the connection broke', { cause: thrown })
    }
    this.#connected = false
    this.#lastEventId = parser.lastEventId ?? this.#lastEventId
    this.#retryMs = parser.retryMs ?? this.#retryMs
    this.#fruitless = fruitful || this.#retryMs !== undefined ? 0 : this.#fruitless + 1
    return overflow
  }

  #hopeless(overflow: SluiceError | undefined): StreamEnd | undefined {
    if (overflow) return { kind: 'failed', cause: overflow }
    if (this.#options.role === 'listener') return undefined
    if (this.#lastEventId && this.#failures < ANSWER_ATTEMPTS) return undefined
    const cause = this.#lastFailure ?? new SluiceError('UPSTREAM_CONNECT', 'the stream ended')
    return { kind: 'failed', cause }
  }

  /** Waits as the server asked for; longer each time where nothing comes of it. */
  async #pause(): Promise<void> {
    const base = Math.max(this.#retryMs ?? FIRST_DELAY_MS, MIN_DELAY_MS)
    const longer = Math.max(0, this.#failures + this.#fruitless - 1)
    const delay = Math.min(base * 2 ** longer, Math.max(base, MAX_BACKOFF_MS), MAX_TIMER_MS)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delay)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }
}

/** Whether the same question may get another answer later: a stream of ours still open there (409), too many requests, a fault. */
function mayPass(status: number): boolean {
  return status === 409 || status === 429 || (status >= 500 && status !== 501)
}
