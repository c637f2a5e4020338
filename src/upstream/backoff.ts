/** How long to wait before the next attempt: doubling, with a limit and a little chance, without a last attempt. */

export interface BackoffOptions {
  /** The first wait [1000]. */
  readonly firstMs?: number
  /** No wait is longer [60000]. */
  readonly maxMs?: number
  /** After a success that lasted so long, the next failure counts as the first [60000]. */
  readonly recoveredMs?: number
  /** From 0 to 1, for the jitter. */
  readonly random?: () => number
  /** In ms. */
  readonly now?: () => number
}

export interface Backoff {
  /**
   * To be called at a failure: the wait before the next attempt, in ms. 1 s, 2 s, 4 s …, each shortened by up to a tenth, so that
   * servers that fell together do not rise together.
   */
  failed(): number
  /** An attempt was a success. */
  succeeded(): void
}

const JITTER = 0.1

export function createBackoff(options: BackoffOptions = {}): Backoff {
  const { firstMs = 1000, maxMs = 60_000, recoveredMs = 60_000, random = Math.random, now = () => performance.now() } = options
  let ms = firstMs
  let since: number | undefined
  return {
    failed: () => {
      if (since !== undefined && now() - since >= recoveredMs) ms = firstMs
      since = undefined
      const wait = Math.min(ms, maxMs) * (1 - JITTER * random())
      ms = Math.min(ms * 2, maxMs)
      return Math.round(wait)
    },
    succeeded: () => {
      since = now()
    },
  }
}
