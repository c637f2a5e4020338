/** State behind a mailbox, on a worker thread or inline: callers cannot tell which. */

/** An API whose every verb takes one plain argument and returns a promise. */
export type ActorApi<Api> = { [M in keyof Api]: (args: never) => Promise<unknown> }
export type Verb<Api> = keyof Api & string
export type ArgsOf<Api, M extends keyof Api> = Api[M] extends (args: infer A) => unknown ? A : never
export type AnswerOf<Api, M extends keyof Api> = Api[M] extends (args: never) => Promise<infer R> ? R : never

export interface AskOptions {
  /** Rejects with ASK_TIMEOUT after so many ms; without it the ask waits as long as the actor lives. */
  readonly deadlineMs?: number
  /** Rejects with ABORTED when it fires. */
  readonly signal?: AbortSignal
  /** Buffers in `args` that move to the actor instead of being copied. */
  readonly transfer?: readonly ArrayBuffer[]
}

export interface Actor<Api> {
  /**
   * Asks one verb. Always settles: with the answer, with the SluiceError the verb failed with (its code kept), or with
   * ASK_TIMEOUT, ABORTED, ACTOR_DIED (the thread ended), ACTOR_STOPPED (it was stopped) or MAILBOX_FULL.
   * Asks are served first in, first out, one at a time.
   */
  ask<M extends Verb<Api>>(verb: M, args: ArgsOf<Api, M>, options?: AskOptions): Promise<AnswerOf<Api, M>>
  readonly alive: boolean
  /** Ends the actor; pending asks reject with ACTOR_STOPPED. Idempotent. */
  stop(): Promise<void>
}
