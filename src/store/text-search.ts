/** Ranks a session's chunks for one query: BM25, with phrases, all-term matches and literal evidence in front. */
import { allOf, anyOf, type MatchQuery, parseQuery, type Term } from './match-query.js'
import { type Spelled, Spelling } from './spelling.js'
import {
  CHUNKS_PER_SOURCE,
  type ChunkRow,
  type RankedChunkRow,
  type Scope,
  type SourceRow,
  type Statements,
  type VocabularyStatements,
} from './sql.js'

export interface RankedMatch {
  /** Best first. */
  readonly chunks: readonly ChunkRow[]
  /** How many of the first hold a literal of the query to the letter. */
  readonly exact: number
  /** The words searched for, in lower case. */
  readonly words: readonly string[]
  /** For a query without a hit: a word of the index near to one of its words. */
  readonly correction?: Spelled
}

/** Of a longer query the rarest terms count. */
const MAX_TERMS = 64
/** Documents that are counted to tell how rare a term is. */
const COUNT_LIMIT = 500
const MAX_ALL_TERMS = 16
const MIN_CANDIDATES = 40

interface Candidate extends RankedChunkRow {
  tier: number
}

export class TextSearch {
  readonly #sql: Statements
  readonly #vocabulary: VocabularyStatements
  readonly #spelling: Spelling
  readonly #bodyOf: (chunk: ChunkRow) => string

  /** @param bodyOf a chunk's text */
  constructor(sql: Statements, vocabulary: VocabularyStatements, bodyOf: (chunk: ChunkRow) => string) {
    this.#sql = sql
    this.#vocabulary = vocabulary
    this.#bodyOf = bodyOf
    this.#spelling = new Spelling(vocabulary, bodyOf)
  }

  search(text: string, limit: number, sources?: readonly SourceRow[]): RankedMatch {
    const scope = scopeOf(sources)
    const query = parseQuery(text)
    const terms = this.#rarest(query.terms, scope)
    const words = terms.map(({ word }) => word)
    if (terms.length === 0) return { chunks: [], exact: 0, words, ...this.#correction(query.terms, scope) }
    const found = this.#candidates({ ...query, terms }, Math.max(MIN_CANDIDATES, limit * 3), scope)
    if (found.length === 0) return { chunks: [], exact: 0, words, ...this.#correction(terms, scope) }
    const evidence = this.#evidence(found, query.literals)
    const ranked = found.sort(
      (a, b) => (evidence.get(b) ?? 0) - (evidence.get(a) ?? 0) || b.tier - a.tier || a.rank - b.rank || a.id - b.id,
    )
    const chunks = ranked.slice(0, limit)
    return { chunks, exact: chunks.filter((chunk) => (evidence.get(chunk) ?? 0) > 0).length, words }
  }

  /** At most 64 terms. A query this long is text: terms that occur nowhere are dropped, then the most frequent ones. */
  #rarest(terms: readonly Term[], scope: Scope): readonly Term[] {
    if (terms.length <= MAX_TERMS) return terms
    return terms
      .map((term) => ({ term, found: this.#count(term.match, scope) }))
      .filter(({ found }) => found > 0)
      .sort((a, b) => a.found - b.found)
      .slice(0, MAX_TERMS)
      .map(({ term }) => term)
  }

  #candidates(query: MatchQuery, limit: number, scope: Scope): Candidate[] {
    const { terms, phrase } = query
    const wholes = terms.length > 1 && terms.length <= MAX_ALL_TERMS
    const tiers = [...(phrase ? [phrase] : []), ...(wholes ? [allOf(terms)] : []), anyOf(terms)]
    const found = new Map<number, Candidate>()
    tiers.forEach((match, n) => {
      for (const row of this.#sql.match.all({ match, limit, ...scope })) {
        const earlier = found.get(row.id)
        // The rank of the loosest expression is the one that all of them share.
        if (earlier) found.set(row.id, { ...row, tier: earlier.tier })
        else found.set(row.id, { ...row, tier: tiers.length - n })
      }
    })
    return [...found.values()]
  }

  /** How many of the literals each candidate holds to the letter. */
  #evidence(found: readonly Candidate[], literals: readonly string[]): Map<Candidate, number> {
    const held = new Map<Candidate, number>()
    if (literals.length === 0) return held
    for (const chunk of found) {
      const body = this.#bodyOf(chunk).toLowerCase()
      held.set(chunk, literals.filter((literal) => body.includes(literal)).length)
    }
    return held
  }

  #correction(terms: readonly Term[], scope: Scope): Pick<RankedMatch, 'correction'> {
    const correction = this.#spelling.correct(terms, scope)
    return correction ? { correction } : {}
  }

  #count(match: string, scope: Scope, limit = COUNT_LIMIT): number {
    return this.#vocabulary.count.get({ match, limit, ...scope })?.found ?? 0
  }
}

// --- internal ---

function scopeOf(sources: readonly SourceRow[] | undefined): Scope {
  if (!sources) return { low: 0, high: Number.MAX_SAFE_INTEGER, scope: null }
  const ids = sources.map(({ id }) => id)
  const low = Math.min(...ids) * CHUNKS_PER_SOURCE
  const high = (Math.max(...ids) + 1) * CHUNKS_PER_SOURCE - 1
  return { low, high, scope: ids.length === 1 ? null : JSON.stringify(ids) }
}
