/**
 * Orders the chunks that BM25 has found by what BM25 cannot see: words of the query that stand together, text to the letter, and
 * the chunks around. Pure.
 */
import { plainScript } from '../text/script-grams.js'
import type { RankedChunkRow } from './sql.js'

/** A term of a query as it is looked for in a text. */
export interface Needle {
  /** As the query has it. */
  readonly word: string
  /** What a folded text must hold, all of one of these. */
  readonly forms: readonly (readonly string[])[]
  /** How rare the term is: its inverse document frequency. */
  readonly weight: number
  /** Of an unbroken script: its neighbours overlap, so that they say nothing. */
  readonly isGram: boolean
}

export interface Passage {
  readonly chunk: RankedChunkRow
  readonly text: string
  /** Whether it holds the whole query as a phrase. */
  readonly phrase: boolean
}

export interface Sought {
  readonly needles: readonly Needle[]
  readonly literals: readonly string[]
  readonly codes: readonly string[]
}

export interface ScoredChunk extends RankedChunkRow {
  /** The higher, the better; compares within one query only. */
  readonly score: number
  /** Above 0: it holds what was asked for to the letter, or as a phrase. */
  readonly exact: number
  /** The words of the query that it holds. */
  readonly held: readonly string[]
  /** Found by its meaning alone. */
  readonly isNear?: true
}

/** Best first, without those that hold too little of what was asked. */
export function rankPassages(passages: readonly Passage[], sought: Sought): ScoredChunk[] {
  const total = sought.needles.reduce((sum, { weight }) => sum + weight, 0)
  const scored = passages.map((passage) => scoreOf(passage, sought, total))
  const own = new Map(scored.map(({ id, score }) => [id, score]))
  return (
    scored
      // What holds none of it to our eyes holds a form that only the tokenizer knows.
      .filter(({ exact, covered }) => exact > 0 || covered === 0 || covered >= MIN_COVERED * total)
      .map(({ covered: _, ...chunk }) => {
        const around = Math.max(own.get(chunk.id - 1) ?? 0, own.get(chunk.id + 1) ?? 0)
        return { ...chunk, score: chunk.score + AROUND * around }
      })
      .sort((a, b) => b.exact - a.exact || b.score - a.score || a.id - b.id)
  )
}

/** Lower case, without the marks that the index leaves out too. */
export function folded(text: string): string {
  const lower = text.toLowerCase()
  return ASCII.test(lower) ? lower : plainScript(lower).normalize('NFKD').replace(MARKS, '')
}

// --- internal ---

/** Tuned on the queries at even places of the labelled sets, checked on the others. */
const PAIR = 0.8
const CODE = 1
const COVER = 0.1
/** What the better one of its neighbours in a text adds: an answer stands among what it is about. */
const AROUND = 0.1
/** A chunk holds at least this part of what is sought, by rarity. */
const MIN_COVERED = 0.1
/** Characters between two words that stand together. */
const NEAR = 40
const MAX_PLACES = 16
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is what it means
const ASCII = /^[\u0000-\u007f]*$/
const MARKS = /[\u0300-\u036f]/g
const SHORT = 4
/** A letter or digit of a script that has spaces. */
const ALPHABETIC = /(?![\u0e00-\u{3ffff}])[\p{L}\p{N}]/u

function scoreOf({ chunk, text, phrase }: Passage, { needles, literals, codes }: Sought, total: number) {
  const body = folded(`${chunk.title}\n${text}`)
  const places = needles.map((needle) => placesOf(needle, body))
  const holds = needles.filter((_, n) => (places[n]?.length ?? 0) > 0)
  const covered = holds.reduce((sum, { weight }) => sum + weight, 0)
  const lower = literals.length + codes.length > 0 ? text.toLowerCase() : ''
  const title = literals.length > 0 ? chunk.title.toLowerCase() : ''
  const exact = literals.reduce(
    (sum, literal) => sum + (lower.includes(literal) ? 2 : Number(title.includes(literal))),
    Number(phrase),
  )
  const code = codes.filter((literal) => lower.includes(literal)).length / Math.max(1, needles.length)
  const score = -chunk.rank * (1 + (covered >= total ? COVER : 0)) + PAIR * together(needles, places) + CODE * code * total
  return { ...chunk, score, exact, covered, held: holds.map(({ word }) => word) }
}

/** Where the first word of a form that is all there stands. */
function placesOf({ forms }: Needle, body: string): number[] {
  for (const words of forms) {
    const [first = ''] = words
    if (first !== '' && words.every((word) => indexOfWord(body, word, 0) >= 0)) {
      const places: number[] = []
      for (let at = indexOfWord(body, first, 0); at >= 0 && places.length < MAX_PLACES; ) {
        places.push(at)
        at = indexOfWord(body, first, at + first.length)
      }
      return places
    }
  }
  return []
}

/** A short word begins a word; a longer one may stand inside an identifier. */
function indexOfWord(body: string, word: string, from: number): number {
  let at = body.indexOf(word, from)
  while (at > 0 && word.length < SHORT && ALPHABETIC.test(body.charAt(at - 1)) && ALPHABETIC.test(word))
    at = body.indexOf(word, at + 1)
  return at
}

/** Neighbouring words of the query that are near each other, by the rarity of the more frequent one. */
function together(needles: readonly Needle[], places: readonly (readonly number[])[]): number {
  let sum = 0
  for (let n = 1; n < needles.length; n++) {
    const [one, other] = [needles[n - 1], needles[n]]
    if (!one || !other || one.isGram || other.isGram) continue
    const closest = closestGap(places[n - 1] ?? [], places[n] ?? [], one.forms[0]?.[0]?.length ?? 0)
    if (closest <= NEAR) sum += Math.min(one.weight, other.weight) / (1 + closest / 8)
  }
  return sum
}

function closestGap(first: readonly number[], second: readonly number[], length: number): number {
  let closest = Infinity
  for (const a of first) {
    for (const b of second) {
      if (a !== b) closest = Math.min(closest, b > a ? Math.max(0, b - a - length - 1) : a - b)
    }
  }
  return closest
}
