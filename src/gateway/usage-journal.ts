/** What tools were used, written to the user's usage file in batches, and what it has taught so far. */
import { existsSync } from 'node:fs'
import type { ComputePool } from '../actor/compute-pool.js'
import { messageOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { ToolRef, ToolUse, UsageNotice, UsageScores } from '../protocol/usage-api.js'
import { settledWithin } from './settled-within.js'

/** Uses of a tool, one after the other, since the last batch. */
export interface Tally {
  readonly tool: ToolRef
  /** What the same session used before; written once. */
  after: ToolRef | undefined
  times: number
}

interface JournalOptions {
  readonly compute: ComputePool
  /** Undefined: nothing is remembered. */
  readonly file: string | undefined
  readonly logger: Logger
}

/** A process that is killed loses what is younger. */
const FLUSH_MS = 2_000
const RETRY_MS = 60_000
/** While writing fails so many tools and pairs wait for the next try. */
const MAX_WAITING = 10_000

export const NO_USAGE: UsageScores = { scores: [], pairs: [] }

export class UsageJournal {
  readonly #options: JournalOptions
  /** What was used since the last batch. */
  #waiting = new Set<Tally>()
  #timer: NodeJS.Timeout | undefined
  #warned = false

  constructor(options: JournalOptions) {
    this.#options = options
  }

  /** Never rejects: what cannot be read is as if it was not there, and the log says so. */
  async read(): Promise<UsageScores> {
    const { compute, file } = this.#options
    if (file === undefined || !existsSync(file)) return NO_USAGE
    try {
      const { notice, ...scores } = await compute.run('readUsage', { file })
      this.#note(notice)
      return scores
    } catch (error) {
      this.#warn(error)
      return NO_USAGE
    }
  }

  /** Counts a use: this is on the way of every call, so calls alike are only counted up. */
  used(tally: Tally): void {
    if (tally.times++ > 0 || this.#options.file === undefined || this.#waiting.size >= MAX_WAITING) return
    this.#waiting.add(tally)
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** Writes what waits, as far as that is done within the time: another process may hold the file. */
  async close(limitMs: number): Promise<void> {
    await settledWithin([this.flush()], limitMs)
    clearTimeout(this.#timer)
  }

  /** Writes what waits. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { compute, file } = this.#options
    const tallies = [...this.#waiting]
    if (file === undefined || tallies.length === 0) return
    this.#waiting = new Set()
    const atMs = Date.now()
    const uses = tallies.flatMap((tally) => usesOf(tally, atMs))
    const before = tallies.map(({ after, times }) => ({ after, times }))
    for (const tally of tallies) Object.assign(tally, { after: undefined, times: 0 })
    try {
      this.#note((await compute.run('recordUses', { file, uses })).notice)
    } catch (error) {
      for (const [at, tally] of tallies.entries()) this.#putBack(tally, before[at])
      this.#timer ??= setTimeout(() => void this.flush(), RETRY_MS).unref()
      this.#warn(error)
    }
  }

  // --- internal ---

  #putBack(tally: Tally, before: Pick<Tally, 'after' | 'times'> | undefined): void {
    tally.after = before?.after
    tally.times += before?.times ?? 0
    if (this.#waiting.size < MAX_WAITING) this.#waiting.add(tally)
  }

  #note(notice: UsageNotice | undefined): void {
    if (notice && !this.#warned) this.#options.logger.warn('usage file', { file: this.#options.file, ...notice })
    this.#warned ||= notice !== undefined
  }

  /** Told once: a folder that cannot be written would fill the log. */
  #warn(error: unknown): void {
    if (!this.#warned)
      this.#options.logger.warn('usage is not remembered', { file: this.#options.file, error: messageOf(error) })
    this.#warned = true
  }
}

// --- internal ---

/** A tool that is called again and again follows the one before once. */
function usesOf({ tool, after, times }: Tally, atMs: number): ToolUse[] {
  if (!after || times === 1) return [{ ...tool, ...(after && { after }), times, atMs }]
  return [
    { ...tool, after, atMs },
    { ...tool, times: times - 1, atMs },
  ]
}
