/** What tools were used, written to the user's usage file in batches, and what it has taught so far. */
import type { ComputePool } from '../actor/compute-pool.js'
import { messageOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { ToolRef, ToolUse, UsageNotice, UsageScores } from '../protocol/usage-api.js'
import { settledWithin } from './settled-within.js'

interface JournalOptions {
  readonly compute: ComputePool
  /** Undefined: nothing is remembered. */
  readonly file: string | undefined
  readonly logger: Logger
}

/** A process that is killed loses what is younger. */
const FLUSH_MS = 2_000
const RETRY_MS = 60_000
/** While writing fails so many uses wait for the next try. */
const MAX_WAITING = 10_000

export const NO_USAGE: UsageScores = { scores: [], pairs: [] }

export class UsageJournal {
  readonly #options: JournalOptions
  #waiting: ToolUse[] = []
  #timer: NodeJS.Timeout | undefined
  #warned = false

  constructor(options: JournalOptions) {
    this.#options = options
  }

  /** Never rejects: what cannot be read is as if it was not there, and the log says so. */
  async read(): Promise<UsageScores> {
    const { compute, file } = this.#options
    if (file === undefined) return NO_USAGE
    try {
      const { notice, ...scores } = await compute.run('readUsage', { file })
      this.#note(notice)
      return scores
    } catch (error) {
      this.#warn(error)
      return NO_USAGE
    }
  }

  /** @param after what the same session used before */
  used(tool: ToolRef, after: ToolRef | undefined): void {
    if (this.#options.file === undefined || this.#waiting.length >= MAX_WAITING) return
    this.#waiting.push({ ...tool, ...(after && { after }), atMs: Date.now() })
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
    const uses = this.#waiting
    if (file === undefined || uses.length === 0) return
    this.#waiting = []
    try {
      this.#note((await compute.run('recordUses', { file, uses })).notice)
    } catch (error) {
      this.#waiting = [...uses, ...this.#waiting].slice(0, MAX_WAITING)
      this.#timer ??= setTimeout(() => void this.flush(), RETRY_MS).unref()
      this.#warn(error)
    }
  }

  // --- internal ---

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
