/** One session's database: puts texts in, finds and drops them. Synchronous; nothing else holds the file. */
import Database from 'better-sqlite3'
import { BoundedMap } from '../base/bounded-map.js'
import { identifierWords } from '../text/words.js'
import { type LineStarts, SourceText, writePages } from './source-text.js'
import {
  CHUNKS_PER_SOURCE,
  createTables,
  prepareStatements,
  type SourceRow,
  type SourceState,
  type Statements,
  type Totals,
} from './sql.js'
import { decodeText, encodeText } from './text-blob.js'
import { type RankedMatch, TextSearch } from './text-search.js'

/** Texts whose pages are kept decoded. */
const OPEN_TEXTS = 16

/** A block of a response: where it stands in the source's text, and what the upstream sent where that differs. */
export interface StoredPart {
  readonly start: number
  readonly end: number
  readonly mimeType: string
  readonly uri?: string
  readonly original?: string
}

export interface NewSource {
  readonly label: string
  /** UTF-8 bytes that count against the session's limit. */
  readonly bytes: number
  readonly text: string
  readonly lines: LineStarts
  readonly parts: readonly StoredPart[]
}

/** A searchable piece of a source. Offsets and lines count from the beginning of the source's text; lines from 1. */
export interface NewChunk {
  readonly start: number
  readonly end: number
  readonly firstLine: number
  readonly lastLine: number
  readonly title: string
  readonly text: string
}

export class SessionStore {
  readonly #db: Database.Database
  readonly #sql: Statements
  readonly #maxBytes: number
  readonly #search: TextSearch
  /** Texts read last, with the pages they hold decoded. */
  readonly #texts = new BoundedMap<number, SourceText>(OPEN_TEXTS)

  /** @param maxBytes the UTF-8 bytes of text it holds before the oldest sources are dropped */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#db = new Database('')
    createTables(this.#db)
    this.#sql = prepareStatements(this.#db)
    this.#search = new TextSearch(this.#sql, (source) => this.text(source))
  }

  /** Stores a text: readable at once, searchable when its chunks are added. Drops the oldest ones above the limit. */
  put(source: NewSource): SourceRow {
    return this.#transaction(() => {
      this.#forget(source.label)
      const end = source.text.endsWith('\n') ? source.text.length - 1 : source.text.length
      const added = this.#sql.addSource.run(source.label, 'pending', source.bytes, source.lines.count, end)
      const id = Number(added.lastInsertRowid)
      writePages(this.#sql, id, source.text, source.lines)
      source.parts.forEach((part, no) => {
        const original = part.original === undefined ? undefined : encodeText(part.original)
        const { start, end, mimeType, uri } = part
        this.#sql.addPart.run(id, no, start, end, mimeType, uri ?? null, original?.narrow ?? 1, original?.body ?? null)
      })
      this.#evict(id)
      return this.#sql.sourceByLabel.get(source.label) as SourceRow
    })
  }

  /**
   * Adds chunks to the full-text index in one transaction. `from` is how many the source has already. Returns how many it took,
   * or undefined if the source is gone.
   */
  addChunks(source: number, from: number, chunks: Iterable<NewChunk>): number | undefined {
    return this.#transaction(() => {
      if (this.#sql.sourceById.get(source)?.state !== 'pending') return undefined
      const first = source * CHUNKS_PER_SOURCE + from
      let id = first
      for (const chunk of chunks) {
        const body = chunk.text.toWellFormed()
        const title = chunk.title.toWellFormed()
        this.#sql.addChunk.run(id, chunk.start, chunk.end, chunk.firstLine, chunk.lastLine, title)
        this.#sql.addText.run(id, body, title, identifierWords(body))
        id++
      }
      return id - first
    })
  }

  setState(source: number, state: SourceState): void {
    this.#sql.setState.run(state, source)
  }

  /** Remembers labels whose content an earlier database held. */
  markLost(labels: readonly string[]): void {
    this.#transaction(() => {
      for (const label of labels) if (!this.find(label)) this.#sql.addSource.run(label, 'lost', 0, 0, 0)
    })
  }

  find(label: string): SourceRow | undefined {
    return this.#sql.sourceByLabel.get(label)
  }

  /** Sources whose label starts with `prefix`, newest first, tombstones included. */
  withPrefix(prefix: string): SourceRow[] {
    return this.#sql.sourcesByPrefix.all(prefix, prefix)
  }

  /** Labels that can be read, newest first. */
  labels(max: number): string[] {
    return this.#sql.newestLabels.all(max).map(({ label }) => label)
  }

  /** Labels that can be read and start with `prefix`, newest first, at most `max`; and how many there are. */
  labelsFrom(prefix: string, max: number): { labels: string[]; total: number } {
    const rows = this.#sql.labelsByPrefix.all(prefix, prefix, max)
    return { labels: rows.map(({ label }) => label), total: rows[0]?.total ?? 0 }
  }

  text(source: SourceRow): SourceText {
    const text = this.#texts.get(source.id) ?? new SourceText(this.#sql, source)
    this.#texts.set(source.id, text)
    return text
  }

  /** The blocks of a source as the upstream sent them. */
  *originals(source: SourceRow): Generator<{ text: string; mimeType: string; uri: string | null }> {
    const text = this.text(source)
    for (const { startsAt, endsAt, mimeType, uri, original, narrow } of this.#sql.parts.all(source.id)) {
      yield { text: original ? decodeText({ narrow, body: original }) : text.slice(startsAt, endsAt), mimeType, uri }
    }
  }

  /** The best chunks of the given sources (all when undefined) for any query text at all, best first. */
  search(query: string, limit: number, scope?: readonly SourceRow[]): RankedMatch {
    return this.#search.search(query, limit, scope)
  }

  totals(): Totals {
    return this.#sql.totals.get() ?? { sources: 0, textBytes: 0, pending: 0 }
  }

  close(): void {
    this.#db.close()
  }

  // --- internal ---

  /** Drops the oldest until the rest fits; the newest stays, however large it is. */
  #evict(newest: number): void {
    let { textBytes } = this.totals()
    while (textBytes > this.#maxBytes) {
      const oldest = this.#sql.oldestLive.get()
      if (!oldest || oldest.id === newest) return
      this.#clear(oldest.id)
      this.setState(oldest.id, 'dropped')
      textBytes -= oldest.bytes
    }
  }

  #forget(label: string): void {
    const earlier = this.find(label)
    if (!earlier) return
    this.#clear(earlier.id)
    this.#sql.deleteSource.run(earlier.id)
  }

  #clear(source: number): void {
    this.#texts.delete(source)
    const low = source * CHUNKS_PER_SOURCE
    const high = low + CHUNKS_PER_SOURCE - 1
    this.#sql.deleteTexts.run(low, high)
    this.#sql.deleteChunks.run(low, high)
    this.#sql.deletePages.run(source)
    this.#sql.deleteParts.run(source)
  }

  #transaction<T>(work: () => T): T {
    this.#sql.begin.run()
    try {
      const done = work()
      this.#sql.commit.run()
      return done
    } catch (error) {
      if (this.#db.inTransaction) this.#sql.rollback.run()
      throw error
    }
  }
}
