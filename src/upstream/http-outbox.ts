/**
 * Keeps the order of what a server must see in order. Every message is a POST of its own and may overtake another, so what
 * comes after a notification or an answer waits until that was accepted; requests hold up nobody.
 */

interface Posting {
  /** Resolves when the server has accepted it or it failed. Never rejects. */
  readonly post: () => Promise<void>
  /** Whether what comes after it waits. */
  readonly holds: boolean
}

/** A server that does not even accept a notification in this time is not waited for. */
const HOLD_MS = 2000

export class HttpOutbox {
  #queue: Posting[] = []
  #holding: Posting | undefined
  #timer: NodeJS.Timeout | undefined

  add(post: () => Promise<void>, holds: boolean): void {
    this.#queue.push({ post, holds })
    this.#pump()
  }

  /** Forgets what has not been sent. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#queue = []
    this.#holding = undefined
  }

  // --- internal ---

  #pump(): void {
    while (!this.#holding) {
      const next = this.#queue.shift()
      if (!next) return
      if (next.holds) this.#hold(next)
      void next.post().finally(() => this.#release(next))
    }
  }

  #hold(posting: Posting): void {
    this.#holding = posting
    this.#timer = setTimeout(() => this.#release(posting), HOLD_MS)
  }

  #release(posting: Posting): void {
    if (this.#holding !== posting) return
    clearTimeout(this.#timer)
    this.#holding = undefined
    this.#pump()
  }
}
