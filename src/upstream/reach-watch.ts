/** Whether a server that is ready can be reached: while it cannot, it is asked now and then whether it is back. */
import { type BackoffOptions, createBackoff } from './backoff.js'

interface ReachWatchOptions {
  readonly backoff: BackoffOptions | undefined
  /** Sends a request that any server answers; how it went is told by `failed` or `answered`. */
  readonly ping: () => void
  readonly changed: (reachable: boolean) => void
}

export class ReachWatch {
  readonly #options: ReachWatchOptions
  readonly #backoff
  #reachable = true
  #next: NodeJS.Timeout | undefined

  constructor(options: ReachWatchOptions) {
    this.#options = options
    this.#backoff = createBackoff(options.backoff)
  }

  /** A request did not get there. Many at a time do not put off the next ping. */
  failed(): void {
    this.#next ??= setTimeout(() => {
      this.#next = undefined
      this.#options.ping()
    }, this.#backoff.failed()).unref()
    if (!this.#reachable) return
    this.#reachable = false
    this.#options.changed(false)
  }

  answered(): void {
    if (this.#reachable) return
    this.stop()
    this.#backoff.succeeded()
    this.#options.changed(true)
  }

  /** Stops asking. What comes next is a connection that nothing is known of. */
  stop(): void {
    clearTimeout(this.#next)
    this.#next = undefined
    this.#reachable = true
  }
}
