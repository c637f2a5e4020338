/** Notices when a server has been unused for its idleTimeout. */

interface IdleWatchOptions {
  /** Undefined: never. */
  readonly limitMs: number | undefined
  /** Whether it is in use although nothing new was asked of it. */
  readonly busy: () => boolean
  readonly idle: () => void
}

export class IdleWatch {
  readonly #options: IdleWatchOptions
  #usedAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: IdleWatchOptions) {
    this.#options = options
  }

  used(): void {
    this.#usedAt = performance.now()
  }

  start(): void {
    this.used()
    if (this.#options.limitMs !== undefined) this.#wait(this.#options.limitMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  // --- internal ---

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#look(), ms).unref()
  }

  #look(): void {
    if (this.#options.busy()) this.used()
    const leftMs = this.#usedAt + (this.#options.limitMs ?? 0) - performance.now()
    if (leftMs > 0) this.#wait(leftMs)
    else this.#options.idle()
  }
}
