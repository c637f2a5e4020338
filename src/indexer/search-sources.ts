/** IndexSearch: the best chunks for each query, as numbered lines. */
import type { OpenArgs, SearchAnswer, SearchArgs, ToolText } from '../protocol/session-api.js'
import { renderSearch } from '../receipt/search-answer.js'
import type { SessionStore } from '../store/session-store.js'
import type { SourceRow } from '../store/sql.js'
import { findHits } from './find-hits.js'
import type { IndexQueue } from './index-queue.js'
import type { SessionVectors } from './session-vectors.js'
import { notSearchable, tombstone, unmatchedPrefix } from './source-notice.js'

interface Searched {
  readonly store: SessionStore
  readonly queue: IndexQueue
  readonly session: OpenArgs
  readonly vectors: SessionVectors | undefined
}

export async function searchSources({ store, queue, session, vectors }: Searched, args: SearchArgs): Promise<SearchAnswer> {
  const prefix = args.source ?? ''
  const before = store.responses(prefix)
  if (before.length === 0 && !store.hasCatalog(prefix)) return { ...unmatched(prefix, store), shown: [] }
  const [meanings] = await Promise.all([
    vectors?.meaningsOf(args.queries),
    queue.settled(new Set(before.filter(({ state }) => state === 'pending').map(({ id }) => id)), args.searchWaitMs),
  ])
  const isWithin = scopeOf(prefix, store)
  const responses = store.responses(prefix).filter(({ label }) => isWithin(label))
  const gone = responses.flatMap((source) => tombstone(source, session) ?? [])
  const live = responses.filter((source) => tombstone(source, session) === undefined)
  if (live.length === 0 && !store.hasCatalog(prefix)) {
    return { text: gone.slice(0, MAX_NOTES).join('\n'), isError: true, shown: [] }
  }
  const scope = {
    isWithin,
    responses: live.length === responses.length && prefix === '' ? undefined : live,
    limit: clamped(args.limit),
    preferred: args.preferred ?? [],
    callTool: args.deferring ? session.names.call : undefined,
    // A catalog that is listed whole is not what a search of responses is about.
    searchesCatalog: (args.deferring !== false || prefix.startsWith('mcp/')) && store.hasCatalog(prefix),
    meanings,
  }
  const queries = args.queries.slice(0, MAX_QUERIES).map((query) => findHits(store, query, scope))
  const notes = [...unsearched(live, session.names.read), ...(prefix === '' ? [] : gone), ...tooMany(args.queries.length)]
  notes.push(...(vectors?.notes() ?? []))
  return { ...renderSearch({ queries, notes: shortened(notes), names: session.names }), isError: false }
}

// --- internal ---

/** What is a label as a whole means that one and what stands below it, not others that begin alike. */
function scopeOf(prefix: string, store: SessionStore): (label: string) => boolean {
  if (prefix === '' || store.find(prefix) === undefined) return (label) => label.startsWith(prefix)
  return (label) => label === prefix || label.startsWith(`${prefix}/`)
}

const MAX_QUERIES = 32
const MAX_NOTES = 12

function unmatched(prefix: string, store: SessionStore): ToolText {
  if (store.labels(1).length > 0) return unmatchedPrefix(prefix, store)
  return { text: 'Nothing is indexed yet: only large responses are.', isError: prefix !== '' }
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
