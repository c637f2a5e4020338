/** What servers send before the client has had the answer to `initialize` and said that it is ready: held, then told in order. */
import { isRequest, type JsonRpcMessage } from '../protocol/messages.js'
import type { ClientPort } from './port.js'

/** More than this is told at once: a client that talks to nobody must not fill the memory. */
const MAX_HELD = 1_000

const READY = 'notifications/initialized'
const BEFORE_READY: ReadonlySet<string> = new Set(['initialize', 'ping'])

export class EarlyMessages {
  readonly #push: ClientPort['push']
  #held: Parameters<ClientPort['push']>[] | undefined = []

  constructor(push: ClientPort['push']) {
    this.#push = push
  }

  /** Tells it to the client, or holds it until that is ready. */
  push(...message: Parameters<ClientPort['push']>): void {
    if (!this.#held) {
      this.#push(...message)
      return
    }
    this.#held.push(message)
    if (this.#held.length > MAX_HELD) this.#release()
  }

  /** A message of the client's: the notification that it is ready, or a request that only a client which is ready sends. */
  heard(message: JsonRpcMessage): void {
    if (!this.#held || !('method' in message)) return
    if (isRequest(message) ? !BEFORE_READY.has(message.method) : message.method === READY) this.#release()
  }

  // --- internal ---

  #release(): void {
    const held = this.#held
    if (!held) return
    this.#held = undefined
    for (const message of held) this.#push(...message)
  }
}
