/** Passages that wait to be embedded, most relevant first: those that a search has met, then catalogs, then the newest response. */
import { CHUNKS_PER_SOURCE } from '../store/sql.js'

/** All passages of a server's catalog; they are kept on disk together. */
export interface CatalogJob {
  readonly alias: string
  readonly ids: readonly number[]
  readonly texts: readonly string[]
  /** Passages that are embedded. */
  done: number
  /** One vector after the other, as far as they are done; made when the first one is. */
  values: Float32Array | undefined
}

interface SourceJob {
  readonly source: number
  readonly count: number
  next: number
}

export class EmbedQueue {
  readonly #urgent = new Set<number>()
  /** Those that were taken before their turn, until it comes. */
  readonly #early = new Set<number>()
  readonly #catalogs = new Map<string, CatalogJob>()
  /** The last one is next. */
  #sources: SourceJob[] = []

  addCatalog(job: CatalogJob): void {
    this.#catalogs.delete(job.alias)
    if (job.ids.length > 0) this.#catalogs.set(job.alias, job)
  }

  /** @param count its chunks */
  addSource(source: number, count: number): void {
    this.#sources = this.#sources.filter((job) => job.source !== source)
    if (count > 0) this.#sources.push({ source, count, next: 0 })
  }

  /** Passages of responses that were met before their turn. */
  promote(ids: Iterable<number>): void {
    for (const id of ids) if (this.#isAhead(id) && !this.#early.has(id)) this.#urgent.add(id)
  }

  /** The catalog that is next; undefined where something urgent waits. */
  catalog(): CatalogJob | undefined {
    return this.#urgent.size > 0 ? undefined : this.#catalogs.values().next().value
  }

  finishCatalog(job: CatalogJob): void {
    if (this.#catalogs.get(job.alias) === job) this.#catalogs.delete(job.alias)
  }

  /** Takes at most `size` passages of responses out; none: nothing waits. */
  take(size: number): number[] {
    const taken = [...this.#urgent].slice(0, size)
    for (const id of taken) {
      this.#urgent.delete(id)
      if (this.#isAhead(id)) this.#early.add(id)
    }
    for (let job = this.#sources.at(-1); job && taken.length < size; job = this.#sources.at(-1)) {
      if (job.next === job.count) this.#sources.pop()
      else {
        const id = job.source * CHUNKS_PER_SOURCE + job.next++
        if (!this.#early.delete(id)) taken.push(id)
      }
    }
    return taken
  }

  /** What was taken and could not be embedded is next again. */
  putBack(ids: readonly number[]): void {
    for (const id of ids) {
      this.#early.delete(id)
      this.#urgent.add(id)
    }
  }

  /** Passages. */
  get waiting(): number {
    const sources = this.#sources.reduce((sum, { count, next }) => sum + count - next, 0)
    const catalogs = [...this.#catalogs.values()].reduce((sum, { ids, done }) => sum + ids.length - done, 0)
    return Math.max(sources - this.#early.size, this.#urgent.size) + catalogs
  }
  // --- internal ---

  /** Whether its turn is still to come. */
  #isAhead(id: number): boolean {
    const job = this.#sources.find(({ source }) => source === Math.floor(id / CHUNKS_PER_SOURCE))
    return job !== undefined && id % CHUNKS_PER_SOURCE >= job.next
  }
}
