/** Splits a byte stream into lines, linear in its size however the chunks fall, with a limit on a line. */

interface SplitterEvents {
  /**
   * One line without its line break. A line above 64 KiB has an ArrayBuffer of its own and may be transferred; a smaller one may
   * share the chunk's.
   */
  line(bytes: Uint8Array): void
  /** A line grew over the limit: it is dropped to its end. `head` is its first 64 KiB, or less if the limit is less. */
  tooLong(head: Uint8Array, bytes: number): void
}

const LF = 0x0a
const CR = 0x0d
const OWN_BUFFER = 65_536

export class FrameSplitter {
  readonly #events: SplitterEvents
  readonly #maxBytes: number
  #parts: Uint8Array[] = []
  #held = 0
  #dropped: Uint8Array | undefined

  constructor(maxBytes: number, events: SplitterEvents) {
    this.#maxBytes = maxBytes
    this.#events = events
  }

  push(chunk: Uint8Array): void {
    let from = 0
    for (;;) {
      const at = chunk.indexOf(LF, from)
      if (at < 0) break
      this.#finish(chunk.subarray(from, at))
      from = at + 1
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from))
  }

  /** The stream ended; a last line without its break counts. */
  end(): void {
    if (this.#held > 0) this.#finish(new Uint8Array(0))
  }

  #hold(part: Uint8Array): void {
    this.#held += part.length
    if (this.#dropped) return
    this.#parts.push(part)
    if (this.#held <= this.#maxBytes) return
    this.#dropped = this.#join(Math.min(OWN_BUFFER, this.#maxBytes))
    this.#parts = []
  }

  #finish(last: Uint8Array): void {
    if (this.#held === 0 && last.length <= Math.min(OWN_BUFFER, this.#maxBytes)) {
      this.#emit(last)
      return
    }
    this.#hold(last)
    const bytes = this.#held
    const dropped = this.#dropped
    const line = dropped ? undefined : this.#join(bytes)
    this.#parts = []
    this.#held = 0
    this.#dropped = undefined
    if (dropped) this.#events.tooLong(dropped, bytes)
    else if (line) this.#emit(line)
  }

  #emit(line: Uint8Array): void {
    const bytes = line[line.length - 1] === CR ? line.subarray(0, -1) : line
    if (bytes.length > 0) this.#events.line(bytes)
  }

  #join(maxBytes: number): Uint8Array {
    const size = Math.min(maxBytes, this.#held)
    const joined = new Uint8Array(size)
    let at = 0
    for (const part of this.#parts) {
      if (at >= size) break
      const piece = part.subarray(0, size - at)
      joined.set(piece, at)
      at += piece.length
    }
    return joined
  }
}
