/** Where each line of a text starts and ends. Offsets are UTF-16 code units, lines count from 1. */

/**
 * Lines end at `\n`, a `\r` stays in the text, a final newline makes no line, and the empty text has none. Lines and offsets
 * outside the text are taken as the nearest inside.
 */
export class LineIndex {
  readonly count: number
  /** One entry a line, then the offset behind the last line's `\n` (as if it had one). */
  readonly #starts: Uint32Array

  constructor(text: string) {
    let starts = new Uint32Array(Math.max(64, text.length >> 5))
    let count = 0
    let from = 0
    while (from < text.length) {
      if (count + 1 >= starts.length) starts = grown(starts)
      starts[count++] = from
      const at = text.indexOf('\n', from)
      from = at < 0 ? text.length + 1 : at + 1
    }
    starts[count] = from
    this.count = count
    this.#starts = starts.slice(0, count + 1)
  }

  start(line: number): number {
    return this.#starts[Math.min(Math.max(line, 1), this.count) - 1] ?? 0
  }

  /** The offset behind the line's last character, before its `\n`. */
  end(line: number): number {
    const next = this.#starts[Math.min(Math.max(line, 1), this.count)] ?? 0
    return Math.max(0, next - 1)
  }

  /** The line that holds `offset`; a `\n` belongs to the line it ends. 0 for the empty text. */
  lineAt(offset: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    return Math.max(low, Math.min(1, this.count))
  }
}

// --- internal ---

function grown(starts: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(starts.length * 2)
  larger.set(starts)
  return larger
}
