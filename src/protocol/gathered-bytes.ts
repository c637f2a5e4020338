/** Bytes that come in pieces, as one piece in the end. */

export class GatheredBytes {
  readonly #maxBytes: number
  #parts: Uint8Array[] = []
  #long: ArrayBuffer | undefined
  #length = 0

  /** @param maxBytes the most that it is given */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#length
  }

  add(part: Uint8Array): void {
    const before = this.#length
    this.#length += part.length
    if (this.#long) this.#append(this.#long, part, before)
    else {
      this.#parts.push(part)
      if (this.#length > LONG) this.#lengthen()
    }
  }

  /** All of them in an ArrayBuffer that holds nothing else and may be transferred; empty afterwards. */
  take(): Uint8Array {
    const [long, length, parts] = [this.#long, this.#length, this.#parts]
    this.clear()
    if (!long) return joined(parts, length)
    long.resize(length)
    return new Uint8Array(long, 0, length)
  }

  /** A copy of the first bytes. */
  head(maxBytes: number): Uint8Array {
    const size = Math.min(maxBytes, this.#length)
    return this.#long ? new Uint8Array(this.#long, 0, size).slice() : joined(this.#parts, size)
  }

  clear(): void {
    this.#parts = []
    this.#long = undefined
    this.#length = 0
  }

  // --- internal ---

  #lengthen(): void {
    // Sets address space aside, and no memory.
    const long = new ArrayBuffer(0, { maxByteLength: Math.max(this.#maxBytes, this.#length) })
    let at = 0
    for (const part of this.#parts) {
      this.#append(long, part, at)
      at += part.length
    }
    this.#parts = []
    this.#long = long
  }

  #append(long: ArrayBuffer, part: Uint8Array, at: number): void {
    const end = at + part.length
    if (end > long.byteLength) long.resize(Math.min(long.maxByteLength, end + STEP))
    new Uint8Array(long, at, part.length).set(part)
  }
}

// --- internal ---

/**
 * From here on every piece is copied as it comes, into a buffer that grows where it is: joining 20 MB at the end would hold the event
 * loop up for as many ms.
 */
const LONG = 1_048_576
const STEP = 1_048_576

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    const piece = part.subarray(0, size - at)
    whole.set(piece, at)
    at += piece.length
    if (at === size) break
  }
  return whole
}
