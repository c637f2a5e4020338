/** Streamable HTTP first; the older HTTP+SSE on the same URL when the server refuses the first request as an old one would. */
import { asSluiceError, SluiceError } from '../base/errors.js'
import type { JsonRpcId } from '../protocol/messages.js'
import { StreamableLink, type StreamableOptions } from './http-streamable-link.js'
import type { Link, LinkEvents, SendOptions } from './link.js'
import { SseLink } from './sse-link.js'

interface Refused {
  readonly frame: Uint8Array
  readonly id: JsonRpcId
  readonly cause: SluiceError
}

export class AutoLink implements Link {
  readonly #options: StreamableOptions
  readonly #events: LinkEvents
  readonly #newer: StreamableLink
  readonly #closing = new AbortController()
  #older: SseLink | undefined
  /** What is sent while the older transport connects. */
  #waiting: { readonly frame: Uint8Array; readonly options: SendOptions | undefined }[] | undefined
  #isClosed = false

  constructor(options: StreamableOptions, events: LinkEvents) {
    this.#options = options
    this.#events = events
    const refusedFirst = (frame: Uint8Array, id: JsonRpcId, cause: SluiceError) => void this.#fallBack({ frame, id, cause })
    this.#newer = new StreamableLink(
      { ...options, refusedFirst },
      withClosed(events, () => undefined),
    )
  }

  open(signal: AbortSignal): Promise<void> {
    return this.#newer.open(signal)
  }

  send(frame: Uint8Array, options?: SendOptions): void {
    if (this.#waiting) this.#waiting.push({ frame, options })
    else this.#active.send(frame, options)
  }

  setProtocolVersion(version: string): void {
    this.#active.setProtocolVersion(version)
  }

  initialized(): void {
    this.#active.initialized()
  }

  reset(): void {
    this.#active.reset()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([this.#newer.close(), this.#older?.close()])
    this.#closed(undefined)
  }

  // --- internal ---

  get #active(): Link {
    return this.#older ?? this.#newer
  }

  #closed(cause: SluiceError | undefined): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#events.closed(cause)
  }

  async #fallBack({ frame, id, cause }: Refused): Promise<void> {
    if (this.#waiting || this.#older) {
      this.send(frame, { requestId: id })
      return
    }
    this.#waiting = [{ frame, options: { requestId: id } }]
    const older = new SseLink(
      this.#options,
      withClosed(this.#events, (why) => this.#closed(why)),
    )
    try {
      await older.open(this.#closing.signal)
      if (this.#closing.signal.aborted) await older.close()
      this.#older = older
    } catch (thrown) {
      const { detail } = asSluiceError(thrown)
      this.#waiting.shift()
      if (!this.#closing.signal.aborted) {
        this.#events.requestFailed(
          id,
          new SluiceError(cause.code, `${cause.detail} (nor is there an event stream: ${detail})`, { cause }),
        )
      }
    }
    const waiting = this.#waiting
    this.#waiting = undefined
    if (this.#closing.signal.aborted) return
    this.#options.logger.debug('http.fell-back', { worked: this.#older !== undefined })
    for (const one of waiting) this.#active.send(one.frame, one.options)
  }
}

/** The same events but for the last. */
function withClosed(events: LinkEvents, closed: LinkEvents['closed']): LinkEvents {
  return {
    frame: (frame, about) => events.frame(frame, about),
    requestFailed: (id, cause) => events.requestFailed(id, cause),
    tooLong: (head, bytes) => events.tooLong(head, bytes),
    noise: (text) => events.noise(text),
    sessionLost: (pending) => events.sessionLost(pending),
    closed,
  }
}
