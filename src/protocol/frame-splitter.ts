/** Splits a byte stream into lines, linear in its size however the chunks fall, with a limit on a line. */
import { GatheredBytes } from './gathered-bytes.js'

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
  readonly #line: GatheredBytes
  /** Bytes of the line so far, dropped or not. */
  #held = 0
  #dropped: Uint8Array | undefined

  constructor(maxBytes: number, events: SplitterEvents) {
    this.#maxBytes = maxBytes
    this.#events = events
    this.#line = new GatheredBytes(maxBytes)
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
    const room = this.#maxBytes - this.#line.length
    this.#line.add(part.length > room ? part.subarray(0, room) : part)
    if (this.#held <= this.#maxBytes) return
    this.#dropped = this.#line.head(OWN_BUFFER)
    this.#line.clear()
  }

  #finish(last: Uint8Array): void {
    if (this.#held === 0 && last.length <= Math.min(OWN_BUFFER, this.#maxBytes)) {
      this.#emit(last)
      return
    }
    this.#hold(last)
    const bytes = this.#held
    const dropped = this.#dropped
    this.#held = 0
    this.#dropped = undefined
    if (dropped) this.#events.tooLong(dropped, bytes)
    else this.#emit(this.#line.take())
  }

  #emit(line: Uint8Array): void {
    const bytes = line[line.length - 1] === CR ? line.subarray(0, -1) : line
    if (bytes.length > 0) this.#events.line(bytes)
  }
}
