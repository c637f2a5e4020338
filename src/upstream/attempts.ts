/** The attempts to reach a server: how often anew, why the last one failed, how long one may take and when the next is due. */
import type { SluiceError } from '../base/errors.js'
import { type Backoff, type BackoffOptions, createBackoff } from './backoff.js'
import type { Login } from './oauth/login.js'

export class Attempts {
  readonly #backoff: Backoff
  #failed = false
  #restarts = 0
  #lastError: SluiceError | undefined
  #deadline: NodeJS.Timeout | undefined
  #next: NodeJS.Timeout | undefined
  readonly #login: Login | undefined
  #unwatch: (() => void) | undefined

  /** @param login the one that a server waits for which needs a login */
  constructor(backoff?: BackoffOptions, login?: Login) {
    this.#backoff = createBackoff(backoff)
    this.#login = login
  }

  /** How often the server was started, or its session opened, after it had failed. */
  get restarts(): number {
    return this.#restarts
  }

  get lastError(): SluiceError | undefined {
    return this.#lastError
  }

  /** One begins. @param lost the server has forgotten us without having failed */
  begin(lost = false): void {
    this.#forgetNext()
    if (this.#failed || lost) this.#restarts++
  }

  /** Calls `late` unless `arrived` or `stop` is called within `limitMs`. */
  allow(limitMs: number, late: () => void): void {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(late, limitMs)
  }

  arrived(): void {
    clearTimeout(this.#deadline)
  }

  succeeded(): void {
    this.#backoff.succeeded()
    this.#failed = false
  }

  /** Something went wrong, and no attempt has failed by it. */
  note(cause: SluiceError): void {
    this.#lastError = cause
  }

  /**
   * The server failed; `next` is called when another attempt is due.
   * @returns the wait for it in ms (undefined: it waits for a login), and whether the cause is another than before
   */
  failed(cause: SluiceError, next: () => void): { waitMs: number | undefined; isNews: boolean } {
    const isNews = !this.#failed || this.#lastError?.detail !== cause.detail
    this.#lastError = cause
    this.#failed = true
    // Asking a server again and again that waits for a person helps nobody.
    if (cause.code === 'UPSTREAM_LOGIN' && this.#login) {
      this.#unwatch = this.#login.watch(next)
      return { waitMs: undefined, isNews }
    }
    const waitMs = this.#backoff.failed()
    this.#next = setTimeout(next, waitMs).unref()
    return { waitMs, isNews }
  }

  /** No attempt is under way or planned. */
  stop(): void {
    clearTimeout(this.#deadline)
    this.#forgetNext()
  }

  // --- internal ---

  #forgetNext(): void {
    clearTimeout(this.#next)
    this.#unwatch?.()
    this.#unwatch = undefined
  }
}
