/** The hits of one query: of the responses and of the catalog, each ranked by itself, joined. */
import { renderCallLine } from '../receipt/call-line.js'
import type { Hit, QueryHits } from '../receipt/search-answer.js'
import type { CatalogHit, CatalogRanking } from '../store/catalog-search.js'
import type { ScoredChunk } from '../store/passage-rank.js'
import type { SessionStore } from '../store/session-store.js'
import type { SourceRow } from '../store/sql.js'
import type { RankedMatch } from '../store/text-search.js'
import { HYBRID_DEPTH, hybridCatalog, hybridChunks } from './hybrid.js'
import type { Meanings } from './session-vectors.js'
import { chunkRows, snippetRows } from './snippet.js'

export interface HitScope {
  /** Whether a document of the catalog is searched, by its label. */
  readonly isWithin: (label: string) => boolean
  /** The responses that are searched; undefined: all. */
  readonly responses: readonly SourceRow[] | undefined
  /** Hits. */
  readonly limit: number
  /** Labels of the catalog that win ties, best first. */
  readonly preferred: readonly string[]
  /** The name of the calling tool, where something is deferred. */
  readonly callTool: string | undefined
  /** Whether the catalog is searched at all. */
  readonly searchesCatalog: boolean
  /** With vectors on and ready. */
  readonly meanings?: Meanings | undefined
}

export function findHits(store: SessionStore, query: string, scope: HitScope): QueryHits {
  const { limit, callTool } = scope
  const texts = rankedTexts(store, query, scope)
  const catalog = rankedCatalog(store, query, scope)
  const chunks = texts?.chunks ?? []
  const responseHits = chunks.slice(0, limit).flatMap((chunk) => responseHit(store, chunk, texts))
  const catalogHits = catalog?.hits.slice(0, limit) ?? []
  const shown = catalogHits.flatMap((hit) => catalogHit(store, hit, { words: catalog?.words ?? [], callTool }))
  const named = catalogHits.filter((hit) => hit.named).length
  const hits = joined({ hits: shown, exact: named }, { hits: responseHits, exact: texts?.exact ?? 0 }).slice(0, limit)
  const correction = hits.length > 0 ? undefined : (texts?.correction ?? catalog?.correction)
  const more = (texts?.more ?? 0) + chunks.length + (catalog?.hits.length ?? 0) - hits.length
  return { query, hits, more: Math.max(0, more), ...(correction && { correction }) }
}

// --- internal ---

interface RankedHits {
  /** Best first. */
  readonly hits: readonly Hit[]
  /** How many of the first are what was asked for to the letter. */
  readonly exact: number
}

function rankedTexts(store: SessionStore, query: string, { responses, limit, meanings }: HitScope): RankedMatch | undefined {
  if (responses?.length === 0) return undefined
  const found = store.search(query, meanings ? Math.max(limit, HYBRID_DEPTH) : limit, responses)
  return meanings ? hybridChunks(store, query, found, { meanings, responses }) : found
}

function rankedCatalog(store: SessionStore, query: string, scope: HitScope): CatalogRanking | undefined {
  const { isWithin, preferred, searchesCatalog, meanings } = scope
  if (!searchesCatalog) return undefined
  const found = store.searchCatalog(query, isWithin, preferred)
  return meanings ? hybridCatalog(store, query, found, { meanings, isWithin }) : found
}

/** Scores of two tables do not compare: exact hits first, then by turns. */
function joined(catalog: RankedHits, responses: RankedHits): Hit[] {
  return [
    ...byTurns(catalog.hits.slice(0, catalog.exact), responses.hits.slice(0, responses.exact)),
    ...byTurns(responses.hits.slice(responses.exact), catalog.hits.slice(catalog.exact)),
  ]
}

function byTurns(first: readonly Hit[], second: readonly Hit[]): Hit[] {
  return Array.from({ length: Math.max(first.length, second.length) }, (_, n) => [first[n], second[n]])
    .flat()
    .filter((hit) => hit !== undefined)
}

function responseHit(store: SessionStore, chunk: ScoredChunk, found: RankedMatch | undefined): Hit[] {
  const source = store.find(chunk.label)
  const words = found?.words ?? []
  if (!source) return []
  return [{ ...chunk, key: chunk.id, rows: snippetRows(store.text(source), chunk, words), why: whyFound(chunk, words) }]
}

/** Nothing where it holds all the words that were asked for: that needs no reason. */
function whyFound({ exact, held, isNear }: ScoredChunk, words: readonly string[]): string {
  if (exact > 0) return 'exact'
  if (isNear) return 'near in meaning'
  return held.length < words.length && held.length > 0 ? `has ${held.join(', ')}` : ''
}

function catalogHit(
  store: SessionStore,
  { entry }: CatalogHit,
  { words, callTool }: { words: readonly string[]; callTool: string | undefined },
): Hit[] {
  const chunk = store.chunk(entry.id)
  const source = store.find(entry.label)
  if (!chunk || !source) return []
  const text = store.text(source)
  const rows = entry.kind === 'server' ? snippetRows(text, chunk, words) : chunkRows(text, chunk)
  return [{ ...chunk, key: chunk.id, rows, use: renderCallLine(entry, callTool) ?? '' }]
}
