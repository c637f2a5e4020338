/** HTTP+SSE of revision 2024-11-05: one event stream for all that the server says, and a POST for each message to it. */
import { asSluiceError, SluiceError } from '../base/errors.js'
import { asBuffer } from '../protocol/frame.js'
import { eachChunk } from './http-body.js'
import { type Call, HttpCalls } from './http-calls.js'
import { HttpOutbox } from './http-outbox.js'
import { readRefusal } from './http-refusal.js'
import type { StreamableOptions } from './http-streamable-link.js'
import { type HttpAnswer, HttpWire } from './http-wire.js'
import type { Link, LinkEvents, SendOptions } from './link.js'
import { SseParser } from './sse-parser.js'

export type SseOptions = Omit<StreamableOptions, 'refusedFirst'>

export class SseLink implements Link {
  readonly #options: SseOptions
  readonly #events: LinkEvents
  readonly #wire: HttpWire
  readonly #calls: HttpCalls
  readonly #outbox = new HttpOutbox()
  #endpoint: URL | undefined
  #version: string | undefined
  #over = false

  constructor(options: SseOptions, events: LinkEvents) {
    this.#options = options
    this.#events = events
    this.#wire = new HttpWire(options)
    this.#calls = new HttpCalls(events, options)
  }

  /** Resolves when the server has named the endpoint for messages. */
  async open(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new SluiceError('ABORTED')
    this.#wire.check()
    const exchange = this.#wire.exchange({ method: 'GET', headers: { accept: 'text/event-stream' } })
    signal.addEventListener('abort', exchange.drop)
    try {
      const answer = await exchange.answer
      if (answer.status !== 200) throw (await readRefusal(answer, this.#wire)).cause
      if (answer.mediaType !== 'text/event-stream') {
        answer.drop()
        throw new SluiceError(
          'UPSTREAM_CONNECT',
          `${this.#wire.name} answered ${answer.mediaType || 'nothing'} in place of an event stream`,
        )
      }
      await this.#endpointOf(answer)
    } catch (thrown) {
      this.#wire.close()
      throw signal.aborted ? new SluiceError('ABORTED') : asSluiceError(thrown, 'UPSTREAM_CONNECT')
    } finally {
      signal.removeEventListener('abort', exchange.drop)
    }
  }

  send(frame: Uint8Array, options: SendOptions = {}): void {
    if (this.#over) return
    const cancelled = this.#calls.get(options.cancels)
    if (cancelled) this.#calls.forget(cancelled)
    const call = this.#calls.add(frame, options.requestId)
    this.#outbox.add(() => this.#post(call), call.id === undefined)
  }

  setProtocolVersion(version: string): void {
    this.#version = version
  }

  /** The stream is open already. */
  initialized(): void {
    this.#options.logger.debug('sse.initialized', { server: this.#wire.name })
  }

  /** The session is the stream itself, which ends with the link. */
  reset(): void {
    this.#version = undefined
  }

  async close(): Promise<void> {
    this.#end(undefined)
  }

  // --- internal ---

  /** Reads the stream as long as it lasts; resolves as soon as the endpoint is known. */
  #endpointOf(answer: HttpAnswer): Promise<void> {
    return new Promise((resolve, reject) => {
      const parser = new SseParser(this.#options.maxMessageBytes, {
        event: ({ type, data }) => {
          if (type === 'message' && data.length > 0) this.#calls.deliver(data)
          if (type !== 'endpoint' || this.#endpoint) return
          this.#endpoint = this.#resolveEndpoint(asBuffer(data).toString('utf8'))
          if (this.#endpoint) resolve()
          else
            reject(
              new SluiceError('UPSTREAM_CONNECT', `${this.#wire.name} names an endpoint of another origin, which is not used`),
            )
        },
        tooLong: (head, bytes) => this.#calls.tooLong(head, bytes),
      })
      const end = (cause?: unknown) => {
        const error = new SluiceError('UPSTREAM_CONNECT', `the event stream from ${this.#wire.name} ended`, { cause })
        reject(error)
        if (this.#endpoint) this.#end(error)
      }
      eachChunk(answer.body, (chunk) => parser.push(chunk)).then(() => end(), end)
    })
  }

  #resolveEndpoint(text: string): URL | undefined {
    if (!URL.canParse(text, this.#wire.url.href)) return undefined
    const endpoint = new URL(text, this.#wire.url)
    endpoint.username = this.#wire.url.username
    endpoint.password = this.#wire.url.password
    return endpoint.origin === this.#wire.url.origin ? endpoint : undefined
  }

  async #post(call: Call): Promise<void> {
    if (!this.#endpoint) {
      this.#calls.fail(call, new SluiceError('UPSTREAM_CONNECT', `${this.#wire.name} is not connected`))
      return
    }
    const version = this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version }
    const headers = { 'content-type': 'application/json', ...version }
    try {
      const answer = await this.#wire.exchange({ method: 'POST', url: this.#endpoint, headers, body: call.frame }).answer
      if (answer.status >= 200 && answer.status <= 299) answer.body.resume()
      else this.#calls.fail(call, (await readRefusal(answer, this.#wire)).cause)
    } catch (thrown) {
      this.#calls.fail(call, asSluiceError(thrown, 'UPSTREAM_CONNECT'))
    }
  }

  #end(cause: SluiceError | undefined): void {
    if (this.#over) return
    this.#over = true
    this.#calls.end()
    this.#outbox.clear()
    this.#wire.close()
    this.#events.closed(cause)
  }
}
