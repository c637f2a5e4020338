/** Ranks a session's chunks for one query: BM25, then what stands together, phrases and literals in front. */
import { MAX_SCANNED, placesOfLiteral } from './literal-scan.js'
import { anyOf, type MatchQuery, parseQuery, type Term } from './match-query.js'
import { folded, type Needle, type Passage, rankPassages, type ScoredChunk } from './passage-rank.js'
import type { SourceText } from './source-text.js'
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
  readonly chunks: readonly ScoredChunk[]
  /** How many of the first hold what was asked for to the letter. */
  readonly exact: number
  /** How many more there are; of very many not all are counted. */
  readonly more: number
  /** The words searched for, in lower case. */
  readonly words: readonly string[]
  /** For a query without a hit: a word of the index near to one of its words. */
  readonly correction?: Spelled
}

/** What a search needs of the store. */
export interface SearchedTexts {
  readonly sql: Statements
  readonly vocabulary: VocabularyStatements
  /** A chunk's text. */
  readonly bodyOf: (chunk: ChunkRow) => string
  readonly textOf: (source: SourceRow) => SourceText
  /** The index's terms of each text, in order. */
  readonly termsOf: (texts: readonly string[]) => string[][]
  /** Chunks in the index. */
  readonly chunkCount: () => number
}

/** Of a longer query the rarest terms count. */
const MAX_TERMS = 64
/** Documents that are counted to tell how rare an expression is. */
const COUNT_LIMIT = 500
/** Chunks that BM25 hands on. */
const CANDIDATES = 100
/** Chunks that a look through the texts finds. */
const SCAN_HITS = 40

export class TextSearch {
  readonly #texts: SearchedTexts
  readonly #spelling: Spelling

  constructor(texts: SearchedTexts) {
    this.#texts = texts
    this.#spelling = new Spelling(texts.vocabulary, texts.bodyOf)
  }

  /** @param sources those that are searched; undefined: all responses */
  search(text: string, limit: number, sources?: readonly SourceRow[]): RankedMatch {
    const scope = scopeOf(sources)
    const query = parseQuery(text)
    const terms = this.#rarest(query.terms, scope)
    const words = terms.map(({ word }) => word)
    const passages = terms.length > 0 ? this.#candidates({ ...query, terms }, limit, scope) : []
    const needles = this.#needles(terms)
    const sought = { needles, literals: query.literals, codes: query.codes }
    const scanned = passages.some((passage) => holdsAny(passage, query.literals)) ? [] : this.#scan(query.literals, sources)
    const ranked = rankPassages([...passages, ...scanned], sought)
    if (ranked.length === 0) return { chunks: [], exact: 0, more: 0, words, ...this.#correction(query.terms, scope) }
    const chunks = ranked.slice(0, limit)
    return { chunks, exact: chunks.filter(({ exact }) => exact > 0).length, more: ranked.length - chunks.length, words }
  }

  // --- internal ---

  /** At most 64 terms. A query this long is text: terms that occur nowhere are dropped, then the most frequent ones. */
  #rarest(terms: readonly Term[], scope: Scope): readonly Term[] {
    if (terms.length <= MAX_TERMS) return terms
    const kept = terms
      .map((term) => ({ term, found: this.#count(term.match, scope) }))
      .filter(({ found }) => found > 0)
      .sort((a, b) => a.found - b.found)
      .slice(0, MAX_TERMS)
    const chosen = new Set(kept.map(({ term }) => term))
    return terms.filter((term) => chosen.has(term))
  }

  #candidates({ terms, phrase }: MatchQuery, limit: number, scope: Scope): Passage[] {
    const { sql } = this.#texts
    const found = sql.match.all({ match: anyOf(terms), limit: Math.max(CANDIDATES, limit * 3), ...scope })
    const ranks = new Map(found.map((row) => [row.id, row]))
    const phrases = new Set<number>()
    for (const row of phrase ? sql.match.all({ match: `body : ${phrase}`, limit, ...scope }) : []) {
      phrases.add(row.id)
      if (!ranks.has(row.id)) ranks.set(row.id, row)
    }
    return [...ranks.values()]
      .sort((a, b) => a.id - b.id)
      .map((chunk) => ({ chunk, text: this.#texts.bodyOf(chunk), phrase: phrases.has(chunk.id) }))
  }

  #needles(terms: readonly Term[]): Needle[] {
    const count = this.#texts.chunkCount()
    const stems = this.#texts.termsOf(terms.flatMap(({ word, parts }) => [word, parts.join(' ')]))
    return terms.map(({ word, match, parts }, n) => {
      const whole = stems[2 * n] ?? []
      const isGram = parts.length === 0
      const split = stems[2 * n + 1] ?? []
      const found = whole.length === 1 ? this.#documents(whole[0] ?? '') : this.#count(match, EVERYTHING)
      const forms = isGram
        ? [[folded(word)]]
        : [whole.map(beginning), ...(split.length > whole.length ? [split.map(beginning)] : [])]
      return { word, forms, isGram, weight: rarity(Math.min(count, found), count) }
    })
  }

  /** Chunks that hold a literal which no token of theirs gave away. */
  #scan(literals: readonly string[], sources: readonly SourceRow[] | undefined): Passage[] {
    const { sql, textOf } = this.#texts
    const found = new Map<number, RankedChunkRow>()
    let left = MAX_SCANNED
    for (const source of literals.length === 0 ? [] : (sources ?? sql.responsesByPrefix.all('', ''))) {
      if (source.textEnd === 0 || left <= 0) continue
      for (const literal of literals) {
        left -= source.textEnd
        for (const offset of placesOfLiteral(textOf(source), literal, SCAN_HITS)) {
          const chunk = sql.chunkAt.get(source.id * CHUNKS_PER_SOURCE, (source.id + 1) * CHUNKS_PER_SOURCE - 1, offset)
          if (chunk) found.set(chunk.id, { ...chunk, rank: 0 })
        }
      }
      if (found.size >= SCAN_HITS) break
    }
    return [...found.values()].map((chunk) => ({ chunk, text: this.#texts.bodyOf(chunk), phrase: false }))
  }

  #correction(terms: readonly Term[], scope: Scope): Pick<RankedMatch, 'correction'> {
    const correction = this.#spelling.correct(terms, scope)
    return correction ? { correction } : {}
  }

  #documents(term: string): number {
    return this.#texts.vocabulary.documentsWith.get(term)?.found ?? 0
  }

  #count(match: string, scope: Scope): number {
    return this.#texts.vocabulary.count.get({ match, limit: COUNT_LIMIT, ...scope })?.found ?? 0
  }
}

// --- internal ---

const EVERYTHING: Scope = { low: 0, high: Number.MAX_SAFE_INTEGER, scope: null }

function scopeOf(sources: readonly SourceRow[] | undefined): Scope {
  if (!sources) return EVERYTHING
  const ids = sources.map(({ id }) => id)
  const low = Math.min(...ids) * CHUNKS_PER_SOURCE
  const high = (Math.max(...ids) + 1) * CHUNKS_PER_SOURCE - 1
  return { low, high, scope: ids.length === 1 ? null : JSON.stringify(ids) }
}

/** Inverse document frequency as BM25 has it, never below 0. */
function rarity(found: number, count: number): number {
  return Math.log(1 + (count - found + 0.5) / (found + 0.5))
}

/** What the forms of a word have in common: of `studi` (studies, study) `stud`. */
function beginning(term: string): string {
  const stem = folded(term)
  return stem.length > 3 && /[iey]$/.test(stem) ? stem.slice(0, -1) : stem
}

function holdsAny({ text }: Passage, literals: readonly string[]): boolean {
  const lower = literals.length > 0 ? text.toLowerCase() : ''
  return literals.length === 0 || literals.some((literal) => lower.includes(literal))
}
