/** The catalog's documents in a session's database: puts them in, takes them out, and knows of each what its ranking needs. */
import type { CatalogDoc, DocKind } from '../protocol/catalog-api.js'
import { indexedText } from '../text/script-grams.js'
import { identifierWords, splitIdentifier } from '../text/words.js'
import { type CatalogStatements, COLUMNS, type Column } from './catalog-sql.js'
import type { NewChunk } from './session-store.js'
import type { LineStarts } from './source-text.js'
import { CHUNKS_PER_SOURCE, type Statements } from './sql.js'

/** A piece of a document, and the texts that it is ranked by. */
export interface CatalogChunk extends Omit<NewChunk, 'text'> {
  readonly fields: CatalogDoc['fields']
}

export interface NewCatalogDoc extends Pick<CatalogDoc, 'label' | 'kind' | 'exposed' | 'text'> {
  readonly lines: LineStarts
  readonly chunks: readonly CatalogChunk[]
}

/** A chunk of the catalog. */
export interface Entry {
  readonly id: number
  readonly label: string
  readonly kind: DocKind
  readonly exposed: string
  /** Distinct words of its own name. */
  readonly nameWords: number
  /** Words by column, in the order of {@link COLUMNS}, each as a part of the mean. */
  readonly sizes: readonly number[]
}

/** What ranking needs of all chunks; made anew when the catalog has changed. */
export interface CatalogFacts {
  readonly entries: ReadonlyMap<number, Entry>
  /** Chunks by {@link nameKey} of their own, their exposed name and their label. */
  readonly named: ReadonlyMap<string, readonly number[]>
}

export class CatalogTable {
  readonly #sql: Statements
  readonly #catalog: CatalogStatements
  #facts: CatalogFacts | undefined

  constructor(sql: Statements, catalog: CatalogStatements) {
    this.#sql = sql
    this.#catalog = catalog
  }

  add(source: number, { kind, exposed, chunks }: NewCatalogDoc): void {
    this.#facts = undefined
    chunks.forEach(({ start, end, firstLine, lastLine, title, fields }, n) => {
      const id = source * CHUNKS_PER_SOURCE + n
      const texts = COLUMNS.map((column) => searchText(column, fields))
      this.#sql.addChunk.run(id, start, end, firstLine, lastLine, title.toWellFormed())
      this.#catalog.addTexts.run(id, ...texts)
      const name = n === 0 ? fields.name.toWellFormed() : ''
      this.#catalog.addEntry.run(id, kind, exposed.toWellFormed(), name, JSON.stringify(texts.map(wordCount)))
    })
  }

  /** @param low the first chunk id, @param high the last */
  delete(low: number, high: number): void {
    this.#facts = undefined
    this.#catalog.deleteTexts.run(low, high)
    this.#catalog.deleteEntries.run(low, high)
  }

  facts(): CatalogFacts {
    this.#facts ??= factsOf(this.#catalog.entries.all())
    return this.#facts
  }

  /** The index's terms of each text, in order. */
  termsOf(texts: readonly string[]): string[][] {
    texts.forEach((text, n) => {
      this.#catalog.addProbe.run(n, text)
    })
    const terms: string[][] = texts.map(() => [])
    for (const { id, term } of this.#catalog.probed.all()) terms[id]?.push(term)
    this.#catalog.clearProbe.run()
    return terms
  }
}

/** The same for every way to write a name: `createPullRequest`, `create_pull_request`, `Create pull request`. */
export function nameKey(name: string): string {
  return splitIdentifier(name).join('').toLowerCase()
}

// --- internal ---

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

function searchText(column: Column, fields: CatalogDoc['fields']): string {
  const text = indexedText(fields[column].toWellFormed())
  const words = identifierWords(text)
  return words === '' ? text : `${text} ${words}`
}

function wordCount(text: string): number {
  return text.match(WORD)?.length ?? 0
}

function factsOf(rows: ReturnType<CatalogStatements['entries']['all']>): CatalogFacts {
  const counts = rows.map(({ sizes }) => JSON.parse(sizes) as number[])
  const means = COLUMNS.map((_, c) => counts.reduce((sum, sizes) => sum + (sizes[c] ?? 0), 0) / Math.max(1, rows.length))
  const entries = new Map<number, Entry>()
  const named = new Map<string, number[]>()
  rows.forEach(({ id, label, kind, exposed, name }, n) => {
    const nameWords = new Set(splitIdentifier(name).map((word) => word.toLowerCase())).size
    const sizes = means.map((mean, c) => (mean === 0 ? 1 : (counts[n]?.[c] ?? 0) / mean))
    entries.set(id, { id, label, kind, exposed, nameWords, sizes })
    if (id % CHUNKS_PER_SOURCE > 0) return
    for (const key of new Set([name, exposed, label].map(nameKey))) {
      if (key !== '') named.set(key, [...(named.get(key) ?? []), id])
    }
  })
  return { entries, named }
}
