/** Ranks a session's chunks for one query: BM25, with phrases, all-term matches and literal evidence in front. */
import { editDistance } from '../base/nearest.js'
import { allOf, anyOf, type MatchQuery, parseQuery, type Term } from './match-query.js'
import type { SourceText } from './source-text.js'
import { CHUNKS_PER_SOURCE, type ChunkRow, type RankedChunkRow, type Scope, type SourceRow, type Statements } from './sql.js'

export interface RankedMatch {
  /** Best first. */
  readonly chunks: readonly ChunkRow[]
  /** The words searched for, in lower case. */
  readonly words: readonly string[]
  /** For a query without a hit: a word of the index near to one of its words. */
  readonly correction?: { readonly word: string; readonly instead: string }
}

/** Of a longer query the rarest terms count. */
const MAX_TERMS = 64
/** Documents that are counted to tell how rare a term is. */
const COUNT_LIMIT = 500
const MAX_ALL_TERMS = 16
const MIN_CANDIDATES = 40
const MAX_VOCABULARY = 4000
const MIN_CORRECTED = 4

interface Candidate extends RankedChunkRow {
  tier: number
}

export class TextSearch {
  readonly #sql: Statements
  readonly #textOf: (source: SourceRow) => SourceText

  /** @param textOf the text of a source that is there */
  constructor(sql: Statements, textOf: (source: SourceRow) => SourceText) {
    this.#sql = sql
    this.#textOf = textOf
  }

  search(text: string, limit: number, sources?: readonly SourceRow[]): RankedMatch {
    const scope = scopeOf(sources)
    const query = parseQuery(text)
    const terms = this.#rarest(query.terms, scope)
    const words = terms.map(({ word }) => word)
    if (terms.length === 0) return { chunks: [], words, ...this.#correction(query.terms, scope) }
    const found = this.#candidates({ ...query, terms }, Math.max(MIN_CANDIDATES, limit * 3), scope)
    if (found.length === 0) return { chunks: [], words, ...this.#correction(terms, scope) }
    const evidence = this.#evidence(found, query.literals)
    const ranked = found.sort(
      (a, b) => (evidence.get(b) ?? 0) - (evidence.get(a) ?? 0) || b.tier - a.tier || a.rank - b.rank || a.id - b.id,
    )
    return { chunks: ranked.slice(0, limit), words }
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

  #bodyOf(chunk: ChunkRow): string {
    const source = this.#sql.sourceById.get(chunk.source)
    return source ? this.#textOf(source).slice(chunk.startsAt, chunk.endsAt) : ''
  }

  #count(match: string, scope: Scope, limit = COUNT_LIMIT): number {
    return this.#sql.count.get({ match, limit, ...scope })?.found ?? 0
  }

  /** The first word that has a near neighbour in the index, with that neighbour as a text spells it. */
  #correction(terms: readonly Term[], scope: Scope): Pick<RankedMatch, 'correction'> {
    for (const { word } of terms.slice(0, 8)) {
      if (word.length < MIN_CORRECTED || word.length > 40 || !/^[\p{L}\p{N}]+$/u.test(word)) continue
      const stem = this.#nearestStem(word)
      const chunk = stem === undefined ? undefined : this.#sql.chunkWithTerm.get({ term: stem, ...scope })
      const instead = chunk && nearestWord(word, this.#bodyOf(chunk))
      if (instead) return { correction: { word, instead } }
    }
    return {}
  }

  /** The vocabulary holds stems; a stem is compared with the beginning of the word, since the word's own stem is not known. */
  #nearestStem(word: string): string | undefined {
    const limit = allowance(word)
    let best: { term: string; distance: number } | undefined
    for (const prefix of [word.slice(0, 2), word.slice(0, 1)]) {
      for (const { term } of this.#sql.termsBetween.all(prefix, `${prefix}\u{10ffff}`, MAX_VOCABULARY)) {
        if (term.length < 3 || term.length > word.length + limit || term.length < word.length - 5) continue
        const distance = Math.min(editDistance(word, term), editDistance(word.slice(0, term.length), term) + 0.5)
        if (distance <= limit + 0.5 && (!best || distance < best.distance)) best = { term, distance }
      }
      if (best) break
    }
    return best?.term
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

function allowance(word: string): number {
  return word.length < 8 ? 1 : 2
}

function nearestWord(word: string, text: string): string | undefined {
  let best: { word: string; distance: number } | undefined
  for (const [found] of text.toLowerCase().matchAll(/[\p{L}\p{N}]{3,40}/gu)) {
    const distance = editDistance(word, found)
    if (distance > 0 && distance <= allowance(word) && (!best || distance < best.distance)) best = { word: found, distance }
  }
  return best?.word
}
