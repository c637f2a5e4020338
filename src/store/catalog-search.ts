/**
 * Ranks the catalog's chunks for one query: BM25F (Robertson, Zaragoza, Taylor 2004) over the columns, with related words at a
 * part of the weight, raised by how much of the name is asked for and by pairs of words that stand together. Chunks that the
 * query names come first.
 */
import type { CatalogStatements, Column } from './catalog-sql.js'
import { COLUMNS } from './catalog-sql.js'
import { type CatalogFacts, type CatalogTable, type Entry, nameKey } from './catalog-table.js'
import { type MatchQuery, parseQuery, quote } from './match-query.js'
import { NOUNS, REQUEST_WORDS, VERBS } from './related-words.js'
import type { Spelled, Spelling } from './spelling.js'
import { CHUNKS_PER_SOURCE, type Scope } from './sql.js'

/** A ranked chunk. */
export interface CatalogHit {
  readonly entry: Entry
  readonly score: number
  /** Whether the query names it. */
  readonly named: boolean
}

export interface CatalogRanking {
  /** Best first. */
  readonly hits: readonly CatalogHit[]
  /** The words searched for, in lower case. */
  readonly words: readonly string[]
  /** For a query without a hit: a word of the catalog near to one of its words. */
  readonly correction?: Spelled
}

export class CatalogSearch {
  readonly #sql: CatalogStatements
  readonly #table: CatalogTable
  readonly #spelling: Spelling
  #related: ReadonlyMap<string, readonly Related[]> | undefined

  constructor(sql: CatalogStatements, table: CatalogTable, spelling: Spelling) {
    this.#sql = sql
    this.#table = table
    this.#spelling = spelling
  }

  /**
   * All chunks that answer the query, best first.
   * @param isWithin keeps the documents whose label it takes
   * @param preferred labels that win ties, best first
   */
  search(text: string, isWithin: (label: string) => boolean, preferred: readonly string[]): CatalogRanking {
    const facts = this.#table.facts()
    const query = parseQuery(text)
    const words = query.terms.map(({ word }) => word)
    const named = namedBy(text, facts)
    const scores = this.#scores(text, query, facts)
    for (const id of named) if (!scores.has(id)) scores.set(id, 0)
    const hits: CatalogHit[] = []
    for (const [id, score] of scores) {
      const entry = facts.entries.get(id)
      if (entry && isWithin(entry.label)) hits.push({ entry, score, named: named.has(id) })
    }
    if (hits.length === 0) return { hits, words, ...this.#correction(query, isWithin, facts) }
    hits.sort((a, b) => Number(b.named) - Number(a.named) || b.score - a.score || a.entry.id - b.entry.id)
    const ranks = new Map(preferred.map((label, n) => [label, n]))
    return { hits: ranks.size === 0 ? hits : withPreferred(hits, ranks), words }
  }

  // --- internal ---

  #correction(
    { terms }: MatchQuery,
    isWithin: (label: string) => boolean,
    { entries }: CatalogFacts,
  ): Pick<CatalogRanking, 'correction'> {
    const ids = [...entries.values()].filter(({ label }) => isWithin(label)).map(({ id }) => id)
    const correction = ids.length === 0 ? undefined : this.#spelling.correct(terms, scopeOfChunks(ids))
    return correction ? { correction } : {}
  }

  #scores(text: string, query: MatchQuery, facts: CatalogFacts): Map<number, number> {
    const asked = this.#askedFor(query, text)
    const terms = this.#rarest(asked.terms)
    const found = new Map<number, Found>()
    const rarities = new Map(terms.map((sought) => [sought.term, this.#addTerm(sought, found, facts)]))
    const sought = [...rarities.values()].reduce((sum, rarity) => sum + rarity, 0)
    this.#addPairs(asked.words, rarities, found)
    const scores = new Map<number, number>()
    for (const [id, chunk] of found) {
      const entry = facts.entries.get(id)
      if (entry && (chunk.inName > 0 || chunk.covered >= sought * MIN_COVERED)) scores.set(id, scoreOf(chunk, entry, sought))
    }
    return scores
  }

  /** Distinct terms of the query and its words in order; an identifier is sought whole and in parts, neighbours as one word too. */
  #askedFor(query: MatchQuery, text: string): { readonly terms: Sought[]; readonly words: string[] } {
    const asking = query.terms.filter(({ word }) => !ASKING.has(word))
    const chosen = asking.length > 0 ? asking : query.terms
    const shares = sharesOf(text)
    const found = this.#table.termsOf(chosen.map(({ word, parts }) => [word, ...parts].join(' ')))
    const terms = new Map<string, number>()
    const add = (term: string, share: number) => terms.set(term, Math.max(terms.get(term) ?? 0, share))
    chosen.forEach(({ word }, n) => {
      for (const term of found[n] ?? []) add(term, PATH.test(word) ? VALUE_SHARE : (shares.get(word) ?? 1))
    })
    const joined = chosen.slice(1, MAX_PAIRED).map(({ word }, n) => `${chosen[n]?.word ?? ''}${word}`)
    this.#table.termsOf(joined).forEach(([term], n) => {
      if (term !== undefined && !terms.has(term) && this.#sql.documentsWith.get(term))
        add(term, JOINED * (shares.get(chosen[n]?.word ?? '') ?? 1))
    })
    return { terms: [...terms].map(([term, weight]) => ({ term, weight })), words: chosen.flatMap(({ parts }) => parts) }
  }

  #rarest(terms: readonly Sought[]): readonly Sought[] {
    if (terms.length <= MAX_TERMS) return terms
    return terms
      .map((sought) => ({ sought, found: this.#sql.documentsWith.get(sought.term)?.found ?? 0 }))
      .filter(({ found }) => found > 0)
      .sort((a, b) => a.found - b.found)
      .slice(0, MAX_TERMS)
      .map(({ sought }) => sought)
  }

  /** Adds what a term is worth to each chunk that holds it or a related one; returns its weight. */
  #addTerm({ term, weight: share }: Sought, found: Map<number, Found>, facts: CatalogFacts): number {
    const frequency = new Map<number, number>()
    const inName = new Map<number, number>()
    const holders = new Set<number>()
    for (const { term: word, factor } of [{ term, factor: 1 }, ...(this.#relatedTo.get(term) ?? [])]) {
      const sums = new Map<number, number>()
      for (const { id, field, times } of this.#sql.places.all(word)) {
        const entry = facts.entries.get(id)
        const c = COLUMNS.indexOf(field)
        const weight = WEIGHTS[field] * (factor === 1 ? 1 : RELATED_WEIGHTS[field])
        if (!entry || weight === 0) continue
        const norm = 1 - LENGTH[field] + LENGTH[field] * (entry.sizes[c] ?? 1)
        sums.set(id, (sums.get(id) ?? 0) + (weight * Math.min(times, MAX_TIMES)) / norm)
        if (field === 'name') inName.set(id, Math.max(inName.get(id) ?? 0, factor))
        if (factor === 1 || field === 'name') holders.add(id)
      }
      for (const [id, sum] of sums) frequency.set(id, Math.max(frequency.get(id) ?? 0, factor * sum))
    }
    const rarity = share * Math.log(1 + (facts.entries.size - holders.size + 0.5) / (holders.size + 0.5))
    for (const [id, f] of frequency) {
      const chunk = found.get(id) ?? { sum: 0, covered: 0, inName: 0, together: 0 }
      chunk.sum += (rarity * f * (SATURATION + 1)) / (f + SATURATION)
      chunk.covered += rarity
      chunk.inName += inName.get(id) ?? 0
      found.set(id, chunk)
    }
    return rarity
  }

  /** Adds what two neighbouring words of the query are worth to chunks where they stand side by side: the less rare one's rarity. */
  #addPairs(words: readonly string[], rarities: ReadonlyMap<string, number>, found: ReadonlyMap<number, Found>): void {
    if (words.length > MAX_PAIRED) return
    const terms = this.#table.termsOf(words)
    const rarityOf = (n: number) => rarities.get(terms[n]?.[0] ?? '') ?? 0
    for (let n = 1; n < words.length; n++) {
      const rarity = Math.min(rarityOf(n - 1), rarityOf(n))
      const match = `{name title description} : ${quote(`${words[n - 1]} ${words[n]}`)}`
      for (const { id } of rarity > 0 ? this.#sql.matching.all(match) : []) {
        const chunk = found.get(id)
        if (chunk) chunk.together += rarity
      }
    }
  }

  get #relatedTo(): ReadonlyMap<string, readonly Related[]> {
    this.#related ??= relatedTerms((words) => this.#table.termsOf(words))
    return this.#related
  }
}

// --- internal ---

interface Sought {
  readonly term: string
  readonly weight: number
}

interface Related {
  readonly term: string
  readonly factor: number
}

interface Found {
  sum: number
  /** Weights of the terms it holds. */
  covered: number
  /** Terms of the query in its name; a related one counts in part. */
  inName: number
  /** Rarities of the pairs of words that stand side by side in it. */
  together: number
}

/** Tuned on one half of the labelled queries and checked on the other. */
const WEIGHTS: Readonly<Record<Column, number>> = { name: 2.2, title: 1.5, description: 1, parameters: 0.4, server: 0.8 }
/** Related words are looked for where tools say what they do. */
const RELATED_WEIGHTS: Readonly<Record<Column, number>> = { name: 1, title: 0.7, description: 0.8, parameters: 0, server: 0 }
/** How much a long text counts against a word in it (BM25's b). */
const LENGTH: Readonly<Record<Column, number>> = { name: 0.4, title: 0.5, description: 0.7, parameters: 0.75, server: 0.3 }
/** How soon more of the same word adds nothing (BM25's k1). */
const SATURATION = 0.8
const MAX_TIMES = 4
const VERB_FACTOR = 0.5
const NOUN_FACTOR = 0.3
/** What a name that is all asked for adds to the score. */
const NAME_BONUS = 1.2
/** What a query whose words all stand together adds. */
const PAIR_BONUS = 0.5
/** A server's document is worth less than a tool that fits as well: it cannot be called. */
const SERVER_FACTOR = 0.5
/** A chunk whose name holds no word of the query holds at least this part of what is sought, by rarity. */
const MIN_COVERED = 0.1
/** A path, a URL, what stands in quotes or in angle brackets is the value of an argument: it tells little of the tool. */
const VALUE_SHARE = 0.4
/** What stands behind a preposition tells where and with what, not what is done. */
const WHERE_SHARE = 0.65
const PREPOSITION = /\b(?:in|inside|within|from|for|with|on|at|by|using|into|onto|under|to|based|that|which)\b/i
/** Two words that a name writes as one: `session host`, `sessionhost`. */
const JOINED = 0.7
const VALUE =
  /<([^<>]{1,200})>|"([^"]{1,200})"|“([^”]{1,200})”|(?<![\p{L}\p{N}])'([^']{1,200})'(?![\p{L}\p{N}])|`([^`]{1,200})`/gu
const PATH = /^[/~]|:\/\/|[/\\].*[/\\]/
const ASKING: ReadonlySet<string> = new Set(REQUEST_WORDS.split(' '))
const NEAR_TIE = 0.97
const MAX_TERMS = 64
const MAX_PAIRED = 64

function scoreOf({ sum, inName, together }: Found, { kind, nameWords }: Entry, sought: number): number {
  const name = nameWords === 0 ? 0 : Math.min(1, inName / nameWords)
  return (
    sum *
    (1 + NAME_BONUS * name) *
    (1 + (PAIR_BONUS * together) / Math.max(1, sought)) *
    (kind === 'server' ? SERVER_FACTOR : 1)
  )
}

function scopeOfChunks(ids: readonly number[]): Scope {
  const sources = [...new Set(ids.map((id) => Math.floor(id / CHUNKS_PER_SOURCE)))]
  return { low: 0, high: Number.MAX_SAFE_INTEGER, scope: JSON.stringify(sources) }
}

/** How much each word tells of the tool; 1 for those that are not in it. */
function sharesOf(text: string): ReadonlyMap<string, number> {
  const head = text.slice(0, MAX_NAMING_CHARS)
  const outside = head.replace(VALUE, ' ')
  const preposition = outside.search(PREPOSITION)
  const [what, where] = preposition < 0 ? [outside, ''] : [outside.slice(0, preposition), outside.slice(preposition)]
  const shares = new Map<string, number>()
  const set = (part: string, share: number) => {
    for (const { word } of parseQuery(part).terms) if (!shares.has(word)) shares.set(word, share)
  }
  set(what, 1)
  set(where, shares.size === 0 ? 1 : WHERE_SHARE)
  if (shares.size > 0) for (const [value] of head.matchAll(VALUE)) set(value, VALUE_SHARE)
  return shares
}

/** Chunks whose name is the whole query, or an identifier in it. */
function namedBy(text: string, { named }: CatalogFacts): Set<number> {
  const found = new Set<number>()
  if (text.length > MAX_NAMING_CHARS) return found
  const words = text.split(/\s+/).filter((word) => IDENTIFIER.test(word))
  for (const name of [text, ...words]) for (const id of named.get(nameKey(name)) ?? []) found.add(id)
  return found
}

const MAX_NAMING_CHARS = 4000
/** Written as only a name is: parts joined by signs, or a capital inside. */
const IDENTIFIER = /[\p{L}\p{N}][_/:.-]+[\p{L}\p{N}]|\p{Ll}\p{Lu}/u

function withPreferred(hits: readonly CatalogHit[], ranks: ReadonlyMap<string, number>): CatalogHit[] {
  const rank = ({ entry }: CatalogHit) => ranks.get(entry.label) ?? ranks.size
  const ordered: CatalogHit[] = []
  for (let from = 0; from < hits.length; ) {
    const best = hits[from]
    let to = from + 1
    while (to < hits.length && best && isTie(best, hits[to])) to++
    ordered.push(...hits.slice(from, to).sort((a, b) => rank(a) - rank(b)))
    from = to
  }
  return ordered
}

function isTie(best: CatalogHit, other: CatalogHit | undefined): boolean {
  return other !== undefined && other.named === best.named && other.score >= best.score * NEAR_TIE
}

/** The related terms of each term of the lists, as the index holds them. */
function relatedTerms(termsOf: (words: readonly string[]) => string[][]): ReadonlyMap<string, readonly Related[]> {
  const found = new Map<string, Related[]>()
  const groups = [
    ...VERBS.map((words) => ({ words, factor: VERB_FACTOR })),
    ...NOUNS.map((words) => ({ words, factor: NOUN_FACTOR })),
  ]
  const terms = termsOf(groups.map(({ words }) => words))
  groups.forEach(({ factor }, n) => {
    const group = new Set(terms[n])
    for (const term of group) {
      const others = [...group].filter((other) => other !== term).map((other) => ({ term: other, factor }))
      found.set(term, [...(found.get(term) ?? []), ...others])
    }
  })
  return found
}
