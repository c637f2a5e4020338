/** A session's vectors: passages embedded behind the answers, and what is near to a query in meaning. */
import { setTimeout as sleep } from 'node:timers/promises'
import { asSluiceError, type SluiceError } from '../base/errors.js'
import { createEmbedder } from '../embed/auto-embedder.js'
import { type Embedder, MAX_BATCH } from '../embed/embedder.js'
import { asksForMeaning, kindOf } from '../embed/text-kind.js'
import { keepVectors, loadVectors, vectorFileName } from '../embed/vector-file.js'
import { type Neighbour, VectorIndex } from '../embed/vector-index.js'
import type { ModelFacts, VectorFacts } from '../protocol/vector-api.js'
import type { NewCatalogDoc } from '../store/catalog-table.js'
import type { SessionStore } from '../store/session-store.js'
import { CHUNKS_PER_SOURCE } from '../store/sql.js'
import { splitIdentifier } from '../text/words.js'
import { type CatalogJob, EmbedQueue } from './embed-queue.js'

export interface SessionVectorsOptions {
  readonly facts: VectorFacts
  readonly store: SessionStore
  /** Whether the full-text index is being written, which goes first. */
  readonly isIndexing: () => boolean
  readonly onFault: (error: unknown) => void
}

/** What a search knows of meanings: near passages by query, each with the weight of its vote. */
export interface Meanings {
  readonly facts: ModelFacts
  near(query: string, of: 'responses' | 'catalog', accepts: (id: number) => boolean): readonly Neighbour[]
  /** Passages of responses that a search has met. */
  met(ids: readonly number[]): void
  isCode(id: number): boolean
}

export class SessionVectors {
  readonly #options: SessionVectorsOptions
  readonly #queue = new EmbedQueue()
  readonly #code = new Set<number>()
  readonly #catalogIds = new Map<string, readonly number[]>()
  #embedder: Embedder | undefined
  #model: ModelFacts | undefined
  #responses: VectorIndex | undefined
  #catalog: VectorIndex | undefined
  #running: Promise<void> | undefined
  #stopped = false
  #added = 0
  #failure: SluiceError | undefined
  #retryAt = 0
  readonly #told = new Set<string>()

  constructor(options: SessionVectorsOptions) {
    this.#options = options
  }

  /** A response that is searchable by words. */
  addSource(source: number): void {
    const { store } = this.#options
    if (++this.#added % PRUNE_EVERY === 0) this.#prune()
    this.#queue.addSource(source, store.chunkCount(source))
    this.#start()
  }

  /** A server's documents, in the place of those it had. */
  addCatalog(alias: string, docs: readonly NewCatalogDoc[]): void {
    const { store } = this.#options
    for (const id of this.#catalogIds.get(alias) ?? []) this.#catalog?.delete(id)
    const passages = docs.flatMap((doc) => {
      const source = store.find(doc.label)
      return source
        ? doc.chunks.map((chunk, n) => ({ id: source.id * CHUNKS_PER_SOURCE + n, text: passageOf(chunk.fields) }))
        : []
    })
    const ids = passages.map(({ id }) => id)
    this.#catalogIds.set(alias, ids)
    this.#queue.addCatalog({ alias, ids, texts: passages.map(({ text }) => text), done: 0, values: undefined })
    this.#start()
  }

  /** Waits a moment for the queries' vectors, and does without them where they do not come: search by words is never held up. */
  async meaningsOf(queries: readonly string[]): Promise<Meanings | undefined> {
    this.#start()
    const [facts, embedder] = [this.#model, this.#embedder]
    if (!facts || !embedder || this.#failure || !hasWeight(facts)) return undefined
    if (!this.#responses?.size && !this.#catalog?.size) return undefined
    const asked = [...new Set(queries.filter((query) => asksForMeaning(query, facts.latinOnly)))].slice(0, MAX_BATCH)
    const vectors = asked.length > 0 ? await within(QUERY_WAIT_MS, embedder.embed(asked, 'query')) : undefined
    const byQuery = new Map<string, Float32Array>()
    asked.forEach((query, n) => {
      const vector = vectors?.values.subarray(n * facts.dimensions, (n + 1) * facts.dimensions)
      if (vector) byQuery.set(query, vector)
    })
    return {
      facts,
      near: (query, of, accepts) => {
        const vector = byQuery.get(query)
        const index = of === 'catalog' ? this.#catalog : this.#responses
        return vector ? (index?.search(vector, NEAR, accepts) ?? []) : []
      },
      met: (ids) => this.#queue.promote(ids.filter((id) => !this.#responses?.has(id))),
      isCode: (id) => this.#code.has(id),
    }
  }

  /** What the reader of a search must know: how far it is, and once what is wrong. */
  notes(): string[] {
    if (this.#failure) return this.#once(`Search by meaning is off, results are by words alone: ${this.#failure.advice}`)
    if (this.#model && !hasWeight(this.#model)) {
      return this.#once(`Search by meaning is off, results are by words alone: ${weakness(this.#model)}`)
    }
    const waiting = this.waiting
    if (waiting === 0) return []
    if (!this.#model)
      return this.#once('Search by meaning is not ready: its model is being loaded. Results are by words alone.')
    const done = (this.#responses?.size ?? 0) + (this.#catalog?.size ?? 0)
    const [some, all] = [done, done + waiting].map((count) => count.toLocaleString('en-US'))
    return [`${some} of ${all} passages embedded so far; the others are found by their words alone.`]
  }

  /** Passages that are not embedded yet. */
  get waiting(): number {
    return this.#queue.waiting
  }

  async close(): Promise<void> {
    this.#stopped = true
    await this.#embedder?.close()
  }

  // --- internal ---

  #start(): void {
    if (this.#running || this.#stopped || this.#queue.waiting === 0 || performance.now() < this.#retryAt) return
    this.#running = this.#run().finally(() => {
      this.#running = undefined
    })
  }

  async #run(): Promise<void> {
    try {
      this.#embedder ??= createEmbedder(this.#options.facts)
      const model = await this.#embedder.load()
      this.#adopt(model)
      this.#failure = undefined
      while (hasWeight(model) && (await this.#step(this.#embedder, model)));
    } catch (thrown) {
      if (this.#stopped) return
      const error = asSluiceError(thrown, 'VECTOR_RUNTIME')
      if (error.detail !== this.#failure?.detail) this.#options.onFault(error)
      this.#failure = error
      this.#retryAt = performance.now() + RETRY_MS
    }
  }

  #adopt(model: ModelFacts): void {
    if (this.#model?.digest === model.digest) return
    this.#model = model
    this.#responses = new VectorIndex(model.dimensions)
    this.#catalog = new VectorIndex(model.dimensions)
    if (!hasWeight(model)) this.#options.onFault(asSluiceError(new Error(weakness(model)), 'VECTOR_MODEL'))
  }

  /** One batch; false when nothing is left. In the session's own thread batches are small, so that others get their turn. */
  async #step(embedder: Embedder, model: ModelFacts): Promise<boolean> {
    do await sleep(this.#options.isIndexing() ? INDEXING_PAUSE_MS : 0)
    while (!this.#stopped && this.#options.isIndexing())
    if (this.#stopped) return false
    const size = model.runtime === 'native' ? MAX_BATCH : 1
    const catalog = this.#queue.catalog()
    if (catalog) return this.#stepCatalog(catalog, { embedder, model, size })
    const ids = this.#queue.take(size)
    if (ids.length === 0) return false
    const passages = ids.flatMap((id) => this.#passage(id))
    if (passages.length === 0 || (this.#responses?.size ?? 0) >= MAX_VECTORS) return true
    try {
      const { values, dimensions } = await embedder.embed(
        passages.map(({ text }) => text),
        'passage',
      )
      passages.forEach(({ id, text }, n) => {
        if (this.#stopped || this.#options.store.chunk(id) === undefined) return
        this.#responses?.set(id, values.subarray(n * dimensions, (n + 1) * dimensions))
        if (kindOf(text) === 'code') this.#code.add(id)
      })
    } catch (error) {
      this.#queue.putBack(ids)
      throw error
    }
    return !this.#stopped
  }

  async #stepCatalog(
    job: CatalogJob,
    { embedder, model, size }: { embedder: Embedder; model: ModelFacts; size: number },
  ): Promise<boolean> {
    const { dataDir } = this.#options.facts
    const { dimensions } = model
    const file = dataDir === undefined ? undefined : { dataDir, name: vectorFileName(model.digest, job.texts) }
    if (!job.values) {
      const kept = file && (await loadVectors(file, job.ids.length * dimensions))
      job.values = kept ?? new Float32Array(job.ids.length * dimensions)
      if (kept) job.done = job.ids.length
    } else {
      const texts = job.texts.slice(job.done, job.done + size)
      job.values.set((await embedder.embed(texts, 'passage')).values, job.done * dimensions)
      const done = job.done + texts.length
      if (done === job.ids.length && file) await keepVectors(file, job.values)
      job.done = done
    }
    if (job.done < job.ids.length) return !this.#stopped
    // While it was embedded the server may have brought another catalog.
    if (this.#catalogIds.get(job.alias) === job.ids) {
      job.ids.forEach((id, n) => {
        this.#catalog?.set(id, job.values?.subarray(n * dimensions, (n + 1) * dimensions) ?? new Float32Array(dimensions))
      })
    }
    this.#queue.finishCatalog(job)
    return !this.#stopped
  }

  #passage(id: number): { id: number; text: string }[] {
    if (this.#responses?.has(id)) return []
    const passage = this.#options.store.passage(id)
    return passage === undefined ? [] : [{ id, text: passage }]
  }

  /** Lets go of responses that the store has dropped. */
  #prune(): void {
    const { store } = this.#options
    const isLive = new Map<number, boolean>()
    const isGone = (id: number) => {
      const source = sourceOf(id)
      const live = isLive.get(source) ?? store.chunkCount(source) > 0
      isLive.set(source, live)
      return !live
    }
    this.#responses?.prune(isGone)
    for (const id of this.#code) if (isGone(id)) this.#code.delete(id)
  }

  #once(note: string): string[] {
    if (this.#told.has(note)) return []
    this.#told.add(note)
    return [note]
  }
}

// --- internal ---

/** Near passages that may vote on a query. */
const NEAR = 50
/** A query's own vector takes some milliseconds; a process that is just starting is not waited for. */
const QUERY_WAIT_MS = 250
/** Responses between two looks for those that are gone; what is gone is never shown. */
const PRUNE_EVERY = 32
const INDEXING_PAUSE_MS = 10
/** What failed is tried again when something is asked or indexed after so long. */
const RETRY_MS = 30_000
/** At 384 numbers each 77 MB. The passages beyond it are found by their words. */
const MAX_VECTORS = 50_000

function sourceOf(id: number): number {
  return Math.floor(id / CHUNKS_PER_SOURCE)
}

function hasWeight({ weights }: ModelFacts): boolean {
  return weights.tools > 0 || weights.prose > 0 || weights.code > 0
}

function weakness({ model, strength }: ModelFacts): string {
  return `the model "${model}" does not tell what belongs together (strength ${strength.toFixed(2)} of 1)`
}

/** A tool's name in words, and what it is said to do. */
function passageOf({ name, title, description }: NewCatalogDoc['chunks'][number]['fields']): string {
  return `${splitIdentifier(name).join(' ')}. ${[title, description].filter(Boolean).join('. ')}`
}

/** Undefined where it fails or takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined)
  })
  try {
    return await Promise.race([promise.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}
