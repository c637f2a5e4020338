/** The events of a session's streams that a client may ask for again, within a budget of bytes, the oldest dropped first. */

/** What the buffer keeps of a stream. */
export interface Resumable {
  readonly id: string
  /** The newest of its events that is no longer here; 0 for none. Set by the buffer. */
  lost: number
}

interface Entry<S> {
  readonly stream: S
  readonly event: number
  readonly bytes: Uint8Array
}

/** What an entry costs besides its bytes, so that many small events stay within the budget too. */
const OVERHEAD = 128
const COMPACT_AT = 1024

export class EventBuffer<S extends Resumable> {
  readonly limit: number
  #entries: Entry<S>[] = []
  #first = 0
  #bytes = 0

  /** @param limit in bytes, an overhead of 128 an event included */
  constructor(limit: number) {
    this.limit = limit
  }

  /** Whether an event of this size is kept at all. */
  fits(bytes: number): boolean {
    return bytes + OVERHEAD <= this.limit
  }

  /** Keeps an event that fits. Events of a stream come in their order, numbered from 1; 0 with no bytes marks its beginning. */
  add(stream: S, event: number, bytes: Uint8Array): void {
    this.#entries.push({ stream, event, bytes })
    this.#bytes += bytes.length + OVERHEAD
    while (this.#bytes > this.limit) this.#drop()
  }

  /** The kept events of a stream that came after `event`, in order. */
  after(stream: S, event: number): Uint8Array[] {
    const found: Uint8Array[] = []
    for (let i = this.#first; i < this.#entries.length; i++) {
      const entry = this.#entries[i]
      if (entry?.stream === stream && entry.event > event) found.push(entry.bytes)
    }
    return found
  }

  /** The stream of this id, if any of its events is still kept. */
  streamOf(id: string): S | undefined {
    for (let i = this.#first; i < this.#entries.length; i++) {
      if (this.#entries[i]?.stream.id === id) return this.#entries[i]?.stream
    }
    return undefined
  }

  // --- internal ---

  #drop(): void {
    const entry = this.#entries[this.#first++]
    if (!entry) return
    this.#bytes -= entry.bytes.length + OVERHEAD
    entry.stream.lost = Math.max(entry.stream.lost, entry.event)
    if (this.#first < COMPACT_AT && this.#first < this.#entries.length) return
    this.#entries = this.#entries.slice(this.#first)
    this.#first = 0
  }
}
