/** Writes sources into the full-text index behind the answers: in slices, other work between them. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NewChunk, SessionStore } from '../store/session-store.js'

/** A slice ends at whichever comes first. */
const SLICE_CHARS = 262_144
const SLICE_MS = 5

interface Job {
  readonly source: number
  readonly chunks: Iterator<NewChunk>
  /** Chunks that are in. */
  added: number
  exhausted: boolean
}

export class IndexQueue {
  readonly #store: SessionStore
  readonly #onFault: (error: unknown) => void
  /** The last one is next. */
  #jobs: Job[] = []
  #waiting = new Set<() => void>()
  #running = false
  #stopped = false

  constructor(store: SessionStore, onFault: (error: unknown) => void) {
    this.#store = store
    this.#onFault = onFault
  }

  /** Newest sources are indexed first. */
  add(source: number, chunks: Iterable<NewChunk>): void {
    this.#jobs.push({ source, chunks: chunks[Symbol.iterator](), added: 0, exhausted: false })
    if (!this.#running) this.#run().catch(this.#onFault)
  }

  /** Indexes these sources before all others, and waits until none of them is pending, at most `waitMs`. */
  async settled(sources: ReadonlySet<number>, waitMs: number): Promise<void> {
    const isWanted = ({ source }: Job) => sources.has(source)
    this.#jobs = [...this.#jobs.filter((job) => !isWanted(job)), ...this.#jobs.filter(isWanted)]
    const deadline = performance.now() + waitMs
    while (!this.#stopped && this.#jobs.some(isWanted)) {
      const left = deadline - performance.now()
      if (left <= 0) return
      await this.#nextSlice(left)
    }
  }

  get busy(): boolean {
    return this.#jobs.length > 0
  }

  stop(): void {
    this.#stopped = true
    this.#jobs = []
    this.#wake()
  }

  // --- internal ---

  async #run(): Promise<void> {
    this.#running = true
    try {
      // The answer that brought the first source goes out before its first slice.
      for (await nextTurn(); !this.#stopped; await nextTurn()) {
        const job = this.#jobs.at(-1)
        if (!job) break
        if (this.#slice(job)) this.#jobs = this.#jobs.filter((other) => other !== job)
        this.#wake()
      }
    } finally {
      this.#running = false
    }
  }

  /** One slice of one source, in one transaction; true when the source needs no more. */
  #slice(job: Job): boolean {
    try {
      const added = this.#store.addChunks(job.source, job.added, sliceOf(job))
      if (added === undefined) return true
      job.added += added
      if (job.exhausted) this.#store.setState(job.source, 'searchable')
      return job.exhausted
    } catch (error) {
      this.#onFault(error)
      // Left in the queue it would fail for ever.
      this.#jobs = this.#jobs.filter((other) => other !== job)
      this.#store.setState(job.source, 'failed')
      return true
    }
  }

  #nextSlice(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, waitMs)
      this.#waiting.add(done)
    })
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done()
  }
}

// --- internal ---

/** Chunks until the slice is full or its time is over. */
function* sliceOf(job: Job): Generator<NewChunk> {
  const until = performance.now() + SLICE_MS
  for (let chars = 0; chars < SLICE_CHARS && performance.now() < until; ) {
    const next = job.chunks.next()
    if (next.done) {
      job.exhausted = true
      return
    }
    chars += next.value.text.length
    yield next.value
  }
}
