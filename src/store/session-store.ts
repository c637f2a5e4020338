/** One session's database: puts texts in, finds and drops them. Synchronous; nothing else holds the file. */
import { BoundedMap } from '../base/bounded-map.js'
import { indexedText } from '../text/script-grams.js'
import { identifierWords } from '../text/words.js'
import { type CatalogRanking, CatalogSearch } from './catalog-search.js'
import { type CatalogStatements, prepareCatalogStatements } from './catalog-sql.js'
import { CatalogTable, type Entry, type NewCatalogDoc } from './catalog-table.js'
import { DatabaseFile } from './database-file.js'
import { type LineStarts, SourceText, writePages } from './source-text.js'
import { Spelling } from './spelling.js'
import {
  CHUNKS_PER_SOURCE,
  type ChunkRow,
  prepareStatements,
  type SourceRow,
  type SourceState,
  type Statements,
  type Totals,
  vocabularyStatements,
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
  readonly file: DatabaseFile
  readonly #sql: Statements
  readonly #maxBytes: number
  readonly #search: TextSearch
  readonly #catalogSql: CatalogStatements
  readonly #catalog: CatalogTable
  readonly #catalogSearch: CatalogSearch
  /** Texts read last, with the pages they hold decoded. */
  readonly #texts = new BoundedMap<number, SourceText>(OPEN_TEXTS)

  /** Counted when it is asked for. */
  #responseChunks: number | undefined

  /** @param maxBytes the UTF-8 bytes of text it holds before the oldest sources are dropped */
  constructor(maxBytes: number, file: DatabaseFile = new DatabaseFile()) {
    const { db } = file
    this.#maxBytes = maxBytes
    this.file = file
    this.#sql = prepareStatements(db)
    const bodyOf = (chunk: ChunkRow) => this.#bodyOf(chunk)
    this.#catalogSql = prepareCatalogStatements(db)
    this.#catalog = new CatalogTable(this.#sql, this.#catalogSql)
    this.#search = new TextSearch({
      sql: this.#sql,
      vocabulary: vocabularyStatements(db, 'responses'),
      bodyOf,
      textOf: (source) => this.text(source),
      termsOf: (texts) => this.#catalog.termsOf(texts),
      chunkCount: () => (this.#responseChunks ??= this.#sql.responseChunks.get()?.found ?? 0),
    })
    this.#catalogSearch = new CatalogSearch(
      this.#catalogSql,
      this.#catalog,
      new Spelling(vocabularyStatements(db, 'catalog'), bodyOf),
    )
  }

  /** Stores a text: readable at once, searchable when its chunks are added. Drops the oldest ones above the limit. */
  put(source: NewSource): SourceRow {
    return this.file.transaction(() => {
      this.#forget(source.label)
      const id = this.#add(source, 'pending', null)
      this.#evict(id)
      return this.#sql.sourceByLabel.get(source.label) as SourceRow
    })
  }

  /** Puts a server's documents in the place of those it had, readable and searchable at once, or nothing if one cannot be put. */
  replaceCatalog(alias: string, docs: readonly NewCatalogDoc[]): void {
    this.file.transaction(() => {
      for (const source of this.#catalogSql.sources.all(alias)) this.#delete(source)
      for (const doc of docs) {
        this.#forget(doc.label)
        const parts = [{ start: 0, end: doc.text.length, mimeType: 'text/plain' }]
        this.#catalog.add(this.#add({ ...doc, bytes: 0, parts }, 'searchable', alias), doc)
      }
    })
  }

  /**
   * Adds chunks to the full-text index in one transaction. `from` is how many the source has already. Returns how many it took,
   * or undefined if the source is gone.
   */
  addChunks(source: number, from: number, chunks: Iterable<NewChunk>): number | undefined {
    return this.file.transaction(() => {
      if (this.#sql.sourceById.get(source)?.state !== 'pending') return undefined
      const first = source * CHUNKS_PER_SOURCE + from
      let id = first
      this.#responseChunks = undefined
      for (const chunk of chunks) {
        const body = indexedText(chunk.text.toWellFormed())
        const title = chunk.title.toWellFormed()
        this.#sql.addChunk.run(id, chunk.start, chunk.end, chunk.firstLine, chunk.lastLine, title)
        this.#sql.addText.run(id, body, isFirstLine(title, body) ? '' : indexedText(title), identifierWords(body))
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
    this.file.transaction(() => {
      for (const label of labels) if (!this.find(label)) this.#sql.addSource.run(label, 'lost', 0, 0, 0, null)
    })
  }

  find(label: string): SourceRow | undefined {
    return this.#sql.sourceByLabel.get(label)
  }

  /** Responses whose label starts with `prefix`, newest first, tombstones included. */
  responses(prefix: string): SourceRow[] {
    return this.#sql.responsesByPrefix.all(prefix, prefix)
  }

  /** Whether the catalog has a document whose label starts with `prefix`. */
  hasCatalog(prefix: string): boolean {
    return this.#catalogSql.anyWithPrefix.get(prefix, prefix) !== undefined
  }

  /** Labels that can be read: responses, then the catalog, newest first. */
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
    return this.file.transaction(() => this.#search.search(query, limit, scope))
  }

  /** Chunks of the catalog's documents that `isWithin` takes, for any query text at all, best first; `preferred` labels win ties. */
  searchCatalog(query: string, isWithin: (label: string) => boolean, preferred: readonly string[]): CatalogRanking {
    return this.file.transaction(() => this.#catalogSearch.search(query, isWithin, preferred))
  }

  /** A ranked chunk of the catalog, as long as the catalog has not changed. */
  chunk(id: number): ChunkRow | undefined {
    return this.#catalogSql.chunk.get(id)
  }

  /** A document of the catalog by its chunk, as its ranking knows it. */
  entry(id: number): Entry | undefined {
    return this.#catalog.facts().entries.get(id)
  }

  /** A chunk's text under its title; undefined once its source is gone. */
  passage(id: number): string | undefined {
    const chunk = this.chunk(id)
    return chunk && [chunk.title, this.#bodyOf(chunk)].filter(Boolean).join('\n')
  }

  /** Chunks of a source. */
  chunkCount(source: number): number {
    return this.#sql.chunkCount.get(source * CHUNKS_PER_SOURCE, (source + 1) * CHUNKS_PER_SOURCE - 1)?.found ?? 0
  }

  totals(): Totals {
    return this.#sql.totals.get() ?? { sources: 0, textBytes: 0, pending: 0 }
  }

  close(): void {
    this.file.db.close()
  }

  // --- internal ---

  #add(source: NewSource, state: SourceState, catalog: string | null): number {
    const { label, bytes, text, lines, parts } = source
    const end = text.endsWith('\n') ? text.length - 1 : text.length
    const id = Number(this.#sql.addSource.run(label, state, bytes, lines.count, end, catalog).lastInsertRowid)
    writePages(this.#sql, id, text, lines)
    parts.forEach((part, no) => {
      const original = part.original === undefined ? undefined : encodeText(part.original)
      const { start, mimeType, uri } = part
      this.#sql.addPart.run(id, no, start, part.end, mimeType, uri ?? null, original?.narrow ?? 1, original?.body ?? null)
    })
    return id
  }

  /** Drops the oldest until the rest fits; the newest stays, however large it is. */
  #evict(newest: number): void {
    let { textBytes } = this.totals()
    while (textBytes > this.#maxBytes) {
      const oldest = this.#sql.oldestResponse.get()
      if (!oldest || oldest.id === newest) return
      this.#clear(oldest)
      this.setState(oldest.id, 'dropped')
      textBytes -= oldest.bytes
    }
  }

  #forget(label: string): void {
    const earlier = this.find(label)
    if (earlier) this.#delete(earlier)
  }

  #delete(source: SourceRow): void {
    this.#clear(source)
    this.#sql.deleteSource.run(source.id)
  }

  #clear({ id, catalog }: SourceRow): void {
    this.#texts.delete(id)
    this.#responseChunks = undefined
    const low = id * CHUNKS_PER_SOURCE
    const high = low + CHUNKS_PER_SOURCE - 1
    if (catalog === null) this.#sql.deleteTexts.run(low, high)
    else this.#catalog.delete(low, high)
    this.#sql.deleteChunks.run(low, high)
    this.#sql.deletePages.run(id)
    this.#sql.deleteParts.run(id)
  }

  #bodyOf(chunk: ChunkRow): string {
    const source = this.#sql.sourceById.get(chunk.source)
    return source ? this.text(source).slice(chunk.startsAt, chunk.endsAt) : ''
  }
}

// --- internal ---

/** Of a text without headings: said already, and no better evidence than the next line. */
function isFirstLine(title: string, body: string): boolean {
  return body.trimStart().startsWith(title.replace(/…$/, ''))
}
