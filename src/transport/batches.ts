/** Batches: which revision has them, and the one answer to all requests of a batch. */
import type { RequestKey } from '../gateway/port.js'
import { type Incoming, isRequest } from '../protocol/messages.js'
import { type Fault, isFault } from './read-messages.js'

/** The only revision in which a message may be an array: the one before did not know them, the next took them out. */
export const BATCH_REVISION = '2025-03-26'

/** The frames as one JSON array. */
export function arrayOf(frames: readonly Uint8Array[]): Buffer {
  const parts = frames.flatMap((frame, i) => [i === 0 ? OPEN : COMMA, frame])
  return Buffer.concat([...parts, CLOSE])
}

interface Batch {
  /** Requests without an answer. */
  readonly waiting: Set<RequestKey>
  readonly answers: Uint8Array[]
}

/** The batches of a client that has one connection for all its messages. */
export class Batches {
  readonly #write: (frame: Uint8Array) => void
  readonly #batches = new Map<RequestKey, Batch>()

  constructor(write: (frame: Uint8Array) => void) {
    this.#write = write
  }

  /** Called before its messages are delivered, for some are answered at once. */
  open(items: readonly (Incoming | Fault)[]): void {
    const batch: Batch = { waiting: new Set(), answers: [] }
    for (const item of items) {
      if (isFault(item)) batch.answers.push(item.fault)
      else if (isRequest(item.message)) {
        const key = JSON.stringify(item.message.id)
        // An id that another batch waits for is answered there, once.
        if (this.#batches.has(key)) continue
        batch.waiting.add(key)
        this.#batches.set(key, batch)
      }
    }
    this.#settle(batch)
  }

  /** False if the request came in no batch. */
  answer(key: RequestKey, frame: Uint8Array): boolean {
    const batch = this.#batches.get(key)
    batch?.answers.push(frame)
    return this.cancelled(key)
  }

  /** No answer will come. False if the request came in no batch. */
  cancelled(key: RequestKey): boolean {
    const batch = this.#batches.get(key)
    if (!batch) return false
    this.#batches.delete(key)
    batch.waiting.delete(key)
    this.#settle(batch)
    return true
  }

  /** The connection ends: what is answered goes out without the rest. */
  end(): void {
    for (const key of [...this.#batches.keys()]) this.cancelled(key)
  }

  // --- internal ---

  #settle({ waiting, answers }: Batch): void {
    if (waiting.size === 0 && answers.length > 0) this.#write(arrayOf(answers))
  }
}

// --- internal ---

const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']')
