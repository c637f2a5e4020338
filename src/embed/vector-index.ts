/** Vectors by id, searched exactly: at the sizes of a session no approximate index is faster. */

export interface Neighbour {
  readonly id: number
  /** Cosine, from -1 to 1. */
  readonly score: number
}

/** Rows of one block of memory; a block is added when the last one is full, so that growing copies nothing. */
const BLOCK_ROWS = 512

export class VectorIndex {
  readonly dimensions: number
  readonly #blocks: Float32Array[] = []
  readonly #ids: number[] = []
  readonly #rows = new Map<number, number>()

  constructor(dimensions: number) {
    this.dimensions = dimensions
  }

  get size(): number {
    return this.#ids.length
  }

  has(id: number): boolean {
    return this.#rows.has(id)
  }

  /** @param vector of length 1; it is copied */
  set(id: number, vector: Float32Array): void {
    const row = this.#rows.get(id) ?? this.#ids.push(id) - 1
    this.#rows.set(id, row)
    this.#rowAt(row).set(vector)
  }

  delete(id: number): void {
    const row = this.#rows.get(id)
    if (row === undefined) return
    const last = this.#ids.pop()
    this.#rows.delete(id)
    if (last !== undefined && last !== id) {
      this.#ids[row] = last
      this.#rows.set(last, row)
      this.#rowAt(row).set(this.#rowAt(this.#ids.length))
    }
    if (this.#ids.length <= (this.#blocks.length - 1) * BLOCK_ROWS) this.#blocks.pop()
  }

  /** Deletes all ids that `isGone` says are gone. */
  prune(isGone: (id: number) => boolean): void {
    for (const id of [...this.#ids]) if (isGone(id)) this.delete(id)
  }

  /** The nearest ids, best first. */
  search(query: Float32Array, limit: number, accepts: (id: number) => boolean = () => true): Neighbour[] {
    const best: Neighbour[] = []
    let floor = Number.NEGATIVE_INFINITY
    for (const [row, id] of this.#ids.entries()) {
      const block = this.#blocks[Math.floor(row / BLOCK_ROWS)] ?? query
      const score = dot(query, block, (row % BLOCK_ROWS) * this.dimensions)
      // Written so that what is no number is passed over.
      if (!(score > floor) || !accepts(id)) continue
      best.splice(placeOf(score, best), 0, { id, score })
      if (best.length > limit) best.pop()
      if (best.length === limit) floor = best.at(-1)?.score ?? floor
    }
    return best
  }

  // --- internal ---

  #rowAt(row: number): Float32Array {
    const at = Math.floor(row / BLOCK_ROWS)
    const block = this.#blocks[at] ?? new Float32Array(BLOCK_ROWS * this.dimensions)
    this.#blocks[at] = block
    const from = (row % BLOCK_ROWS) * this.dimensions
    return block.subarray(from, from + this.dimensions)
  }
}

// --- internal ---

/** Four sums at a time, which the processor adds up side by side. */
function dot(query: Float32Array, block: Float32Array, from: number): number {
  let [a, b, c, d] = [0, 0, 0, 0]
  const whole = query.length - (query.length % 4)
  let at = 0
  for (; at < whole; at += 4) {
    a += (query[at] as number) * (block[from + at] as number)
    b += (query[at + 1] as number) * (block[from + at + 1] as number)
    c += (query[at + 2] as number) * (block[from + at + 2] as number)
    d += (query[at + 3] as number) * (block[from + at + 3] as number)
  }
  for (; at < query.length; at++) a += (query[at] as number) * (block[from + at] as number)
  return a + b + c + d
}

/** Behind all that are as good. */
function placeOf(score: number, best: readonly Neighbour[]): number {
  let low = 0
  let high = best.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((best[middle]?.score ?? 0) >= score) low = middle + 1
    else high = middle
  }
  return low
}
