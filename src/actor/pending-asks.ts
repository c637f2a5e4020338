/**
 * Asks that wait for an answer. A set of rejectors, emptied when the actor ends: racing each ask against one promise that
 * outlives it would keep every ask in memory.
 */
import { asSluiceError, SluiceError } from '../base/errors.js'
import type { AskOptions } from './actor.js'

export interface PendingAsks {
  readonly size: number
  /**
   * Settles like `start()`, or rejects before it with ASK_TIMEOUT, ABORTED or the error of `failAll`. Foreign errors become
   * ACTOR_FAILED. Leaves no timer and no listener behind. `start` is not called when the signal has fired already.
   */
  settle<T>(verb: string, options: AskOptions, start: () => Promise<T>): Promise<T>
  /** Rejects all that wait now. */
  failAll(error: SluiceError): void
}

export function createPendingAsks(): PendingAsks {
  const rejectors = new Set<(error: SluiceError) => void>()
  return {
    get size() {
      return rejectors.size
    },
    settle<T>(verb: string, { deadlineMs, signal }: AskOptions, start: () => Promise<T>): Promise<T> {
      if (signal?.aborted) return Promise.reject(new SluiceError('ABORTED'))
      return new Promise<T>((resolve, reject) => {
        let timer: NodeJS.Timeout | undefined
        const release = () => {
          rejectors.delete(fail)
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
        }
        const fail = (error: SluiceError) => {
          release()
          reject(error)
        }
        const onAbort = () => fail(new SluiceError('ABORTED'))
        rejectors.add(fail)
        signal?.addEventListener('abort', onAbort)
        if (deadlineMs !== undefined) {
          const late = () => fail(new SluiceError('ASK_TIMEOUT', `no answer to "${verb}" within ${deadlineMs} ms`))
          timer = setTimeout(late, Math.min(deadlineMs, LONGEST_TIMER_MS))
        }
        start().then(
          (answer) => {
            release()
            resolve(answer)
          },
          (thrown) => fail(asSluiceError(thrown, 'ACTOR_FAILED')),
        )
      })
    },
    failAll(error) {
      for (const fail of [...rejectors]) fail(error)
    },
  }
}

// --- internal ---

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
