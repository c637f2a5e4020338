/** Those who wait for one event, each with a signal of its own; nothing stays behind of who gave up or was served. */
import type { SluiceError } from '../base/errors.js'

interface Waiter {
  resolve(): void
  reject(error: SluiceError): void
}

export class Waiters {
  readonly #waiting = new Set<Waiter>()
  #firstOver: () => void = () => undefined
  /** Resolves when the event has come, or failed to come, for the first time. Never rejects. */
  readonly first = new Promise<void>((resolve) => {
    this.#firstOver = resolve
  })

  /** The event need not come for the first time; who waits for it waits on. */
  skipFirst(): void {
    this.#firstOver()
  }

  /** @param aborted makes the error of one whose signal fires */
  wait(signal: AbortSignal | undefined, aborted: () => SluiceError): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiter)
        signal?.removeEventListener('abort', onAbort)
      }
      const onAbort = () => waiter.reject(aborted())
      const waiter: Waiter = {
        resolve: () => {
          leave()
          resolve()
        },
        reject: (error) => {
          leave()
          reject(error)
        },
      }
      this.#waiting.add(waiter)
      signal?.addEventListener('abort', onAbort)
    })
  }

  resolve(): void {
    for (const waiter of [...this.#waiting]) waiter.resolve()
    this.#firstOver()
  }

  reject(error: SluiceError): void {
    for (const waiter of [...this.#waiting]) waiter.reject(error)
    this.#firstOver()
  }
}
