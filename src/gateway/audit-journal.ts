/** Calls on their way to the audit log, in batches behind the calls; what it has recorded so far. */
import type { ComputePool } from '../actor/compute-pool.js'
import { messageOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { utf8Length } from '../base/utf8.js'
import type { AuditPlace, StatsReport } from '../protocol/audit-api.js'
import { CallBatchBuilder, type RecordedCall } from './call-batch.js'
import { settledWithin } from './settled-within.js'

interface JournalOptions {
  readonly compute: ComputePool
  readonly place: AuditPlace
  readonly logger: Logger
}

/** A process that is killed loses what is younger. */
const FLUSH_MS = 2_000
/** While the pool is so far behind, calls are recorded without their hashes and counts. */
const MAX_HELD_BYTES = 64 * 1024 * 1024

export class AuditJournal {
  readonly #options: JournalOptions
  #waiting: CallBatchBuilder[] = []
  #heldBytes = 0
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined
  #warned = false

  constructor(options: JournalOptions) {
    this.#options = options
  }

  /** Copies what is to be kept of a call; all else is done behind it. */
  record(call: RecordedCall): void {
    if (this.#heldBytes > MAX_HELD_BYTES) this.#put({ ...call, asked: NOTHING, sent: undefined, extra: undefined }, 0)
    else this.#put(call, lengthOf(call.asked) + (call.sent?.length ?? 0))
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** The sums over all that was recorded on this machine, up to now. Rejects with AUDIT_FILE. */
  async stats(): Promise<StatsReport> {
    await this.flush()
    return this.#options.compute.run('readStats', this.#options.place)
  }

  /** Writes what waits, as far as that is done within the time. */
  async close(limitMs: number): Promise<void> {
    await settledWithin([this.flush()], limitMs)
  }

  /** Writes what waits, one batch after the other. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#flushing = (this.#flushing ?? Promise.resolve()).then(() => this.#write())
    return this.#flushing
  }

  // --- internal ---

  #put(call: RecordedCall, bytes: number): void {
    let batch = this.#waiting.at(-1)
    if (!batch?.fits(bytes)) {
      batch = new CallBatchBuilder(bytes)
      this.#waiting.push(batch)
      this.#heldBytes += batch.heldBytes
    }
    batch.add(call)
  }

  async #write(): Promise<void> {
    const { compute, place, logger } = this.#options
    for (let builder = this.#waiting.shift(); builder; builder = this.#waiting.shift()) {
      const { heldBytes } = builder
      const { batch, transfer } = builder.handOver()
      try {
        await compute.run('recordCalls', { ...place, batch }, { transfer })
      } catch (error) {
        // Told once: a folder that cannot be written would fill the log.
        if (!this.#warned) logger.warn('calls are not recorded', { error: messageOf(error) })
        this.#warned = true
      }
      this.#heldBytes -= heldBytes
    }
  }
}

// --- internal ---

const NOTHING = new Uint8Array()

function lengthOf(asked: Uint8Array | string): number {
  return typeof asked === 'string' ? utf8Length(asked) : asked.length
}
