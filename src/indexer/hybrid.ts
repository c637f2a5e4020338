/** Rankings by words joined with what is near in meaning. */
import { fuse } from '../embed/fuse.js'
import type { CatalogRanking } from '../store/catalog-search.js'
import type { ScoredChunk } from '../store/passage-rank.js'
import type { SessionStore } from '../store/session-store.js'
import type { SourceRow } from '../store/sql.js'
import { CHUNKS_PER_SOURCE } from '../store/sql.js'
import type { RankedMatch } from '../store/text-search.js'
import type { Meanings } from './session-vectors.js'

/** Hits by words that take part; more are not moved. */
export const HYBRID_DEPTH = 50

export function hybridChunks(
  store: SessionStore,
  query: string,
  found: RankedMatch,
  { meanings, responses }: { meanings: Meanings; responses: readonly SourceRow[] | undefined },
): RankedMatch {
  const byWords = new Map(found.chunks.map((chunk) => [chunk.id, chunk]))
  meanings.met([...byWords.keys()])
  const scope = responses && new Set(responses.map(({ id }) => id))
  const inScope = (id: number) => scope === undefined || scope.has(Math.floor(id / CHUNKS_PER_SOURCE))
  const near = meanings.near(query, 'responses', inScope)
  const { floor, weights } = meanings.facts
  const votes = near
    .filter(({ id, score }) => byWords.has(id) || score >= floor)
    .map(({ id }) => ({ id, weight: meanings.isCode(id) ? weights.code : weights.prose }))
  const ids = fuse([...byWords.keys()], votes, found.exact)
  return { ...found, chunks: ids.flatMap((id) => byWords.get(id) ?? nearChunk(store, id)) }
}

export function hybridCatalog(
  store: SessionStore,
  query: string,
  found: CatalogRanking,
  { meanings, isWithin }: { meanings: Meanings; isWithin: (label: string) => boolean },
): CatalogRanking {
  const byWords = new Map(found.hits.map((hit) => [hit.entry.id, hit]))
  const { floor, weights } = meanings.facts
  const near = meanings.near(query, 'catalog', (id) => byWords.has(id) || isWithin(store.entry(id)?.label ?? ''))
  const votes = near
    .filter(({ id, score }) => byWords.has(id) || score >= floor)
    .map(({ id }) => ({ id, weight: weights.tools }))
  const ids = fuse([...byWords.keys()], votes, found.hits.filter(({ named }) => named).length)
  const hits = ids.flatMap((id) => {
    const entry = store.entry(id)
    return byWords.get(id) ?? (entry ? { entry, score: 0, named: false } : [])
  })
  return { ...found, hits }
}

// --- internal ---

/** A chunk that holds none of the words. */
function nearChunk(store: SessionStore, id: number): ScoredChunk[] {
  const chunk = store.chunk(id)
  return chunk ? [{ ...chunk, rank: 0, score: 0, exact: 0, held: [], isNear: true }] : []
}
