/** One HTTP response as a stream of server-sent events. */
import type { ServerResponse } from 'node:http'

/** A reader this far behind is cut off; it can resume. Bytes. */
const MAX_BACKLOG = 64 * 1024 * 1024

const KEEP_ALIVE = Buffer.from(':\n\n')
const HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' }

export class SseWriter {
  readonly #response: ServerResponse
  #begun = false

  /**
   * The headers leave with the first event, or by `flush`.
   * @param onClosed called when the response is over, however it ends
   */
  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>, onClosed: () => void) {
    this.#response = response
    response.on('error', () => response.destroy())
    response.on('close', onClosed)
    response.writeHead(200, { ...HEADERS, ...headers })
  }

  get open(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded
  }

  /** Sends the headers now where there is no event yet to take them along. */
  flush(): void {
    if (this.open && !this.#begun) this.#response.flushHeaders()
    this.#begun = true
  }

  /** Writes one event, given whole or in parts, unless the reader is too far behind already. */
  write(...parts: readonly Uint8Array[]): void {
    if (!this.open) return
    this.#begun = true
    if (this.#response.writableLength > MAX_BACKLOG) this.#response.destroy()
    else for (const part of parts) this.#response.write(part)
  }

  /** Something for proxies and clients that give up on a silent connection. */
  keepAlive(): void {
    if (this.#response.writableLength === 0) this.write(KEEP_ALIVE)
  }

  end(): void {
    if (this.open) this.#response.end()
  }
}
