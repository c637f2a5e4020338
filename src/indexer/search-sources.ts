/** IndexSearch: the best chunks for each query, as numbered lines. */
import type { OpenArgs, SearchArgs, ToolText } from '../protocol/session-api.js'
import { type Hit, type QueryHits, renderSearch } from '../receipt/search-answer.js'
import type { SessionStore } from '../store/session-store.js'
import type { SourceRow } from '../store/sql.js'
import type { IndexQueue } from './index-queue.js'
import { snippetRows } from './snippet.js'
import { notSearchable, tombstone, unmatchedPrefix } from './source-notice.js'

interface Searched {
  readonly store: SessionStore
  readonly queue: IndexQueue
  readonly session: OpenArgs
}

export async function searchSources({ store, queue, session }: Searched, args: SearchArgs): Promise<ToolText> {
  const prefix = args.source ?? ''
  const before = store.withPrefix(prefix)
  if (before.length === 0) return unmatched(prefix, store)
  await queue.settled(new Set(before.filter(({ state }) => state === 'pending').map(({ id }) => id)), args.searchWaitMs)
  const sources = store.withPrefix(prefix)
  const gone = sources.flatMap((source) => tombstone(source, session) ?? [])
  const live = sources.filter((source) => tombstone(source, session) === undefined)
  if (live.length === 0) return { text: gone.slice(0, MAX_NOTES).join('\n'), isError: true }
  const queries = args.queries.slice(0, MAX_QUERIES)
  const scope = live.length === sources.length && prefix === '' ? undefined : live
  const found = queries.map((query) => hitsOf({ store, scope, limit: clamped(args.limit) }, query))
  const notes = [...unsearched(live, session.names.read), ...(prefix === '' ? [] : gone), ...tooMany(args.queries.length)]
  return { text: renderSearch({ queries: found, notes: shortened(notes), names: session.names }), isError: false }
}

// --- internal ---

const MAX_QUERIES = 32
const MAX_NOTES = 12

interface Scope {
  readonly store: SessionStore
  readonly scope: readonly SourceRow[] | undefined
  readonly limit: number
}

function unmatched(prefix: string, store: SessionStore): ToolText {
  if (store.labels(1).length > 0) return unmatchedPrefix(prefix, store)
  return { text: 'Nothing is indexed yet: only large responses are.', isError: prefix !== '' }
}

function hitsOf({ store, scope, limit }: Scope, query: string): QueryHits {
  const { chunks, words, correction } = store.search(query, limit, scope)
  const hits = chunks.flatMap((chunk): Hit[] => {
    const source = store.find(chunk.label)
    return source ? [{ ...chunk, key: chunk.id, rows: snippetRows(store.text(source), chunk, words) }] : []
  })
  return { query, hits, ...(correction && { correction }) }
}

function unsearched(live: readonly SourceRow[], readTool: string): string[] {
  return live.flatMap((source) => notSearchable(source, readTool) ?? [])
}

function tooMany(count: number): string[] {
  return count > MAX_QUERIES ? [`${count - MAX_QUERIES} more queries were not run: ask at most ${MAX_QUERIES} at once.`] : []
}

function shortened(notes: readonly string[]): string[] {
  if (notes.length <= MAX_NOTES) return [...notes]
  return [...notes.slice(0, MAX_NOTES), `… and ${notes.length - MAX_NOTES} more such sources.`]
}

function clamped(limit: number): number {
  return Number.isFinite(limit) ? Math.min(20, Math.max(1, Math.floor(limit))) : 5
}
