/** Corrects a query that found nothing by the words of an index. */
import { editDistance } from '../base/nearest.js'
import type { Term } from './match-query.js'
import type { ChunkRow, Scope, VocabularyStatements } from './sql.js'

/** A word of a query, and the word of the index that was probably meant. */
export interface Spelled {
  readonly word: string
  readonly instead: string
}

export class Spelling {
  readonly #vocabulary: VocabularyStatements
  readonly #bodyOf: (chunk: ChunkRow) => string

  constructor(vocabulary: VocabularyStatements, bodyOf: (chunk: ChunkRow) => string) {
    this.#vocabulary = vocabulary
    this.#bodyOf = bodyOf
  }

  /** The first word that has a near neighbour in the index, with that neighbour as a text spells it. */
  correct(terms: readonly Term[], scope: Scope): Spelled | undefined {
    for (const { word } of terms.slice(0, 8)) {
      if (word.length < MIN_CORRECTED || word.length > 40 || !/^[\p{L}\p{N}]+$/u.test(word)) continue
      const stem = this.#nearestStem(word)
      const chunk = stem === undefined ? undefined : this.#vocabulary.chunkWithTerm.get({ term: stem, ...scope })
      const instead = chunk && nearestWord(word, this.#bodyOf(chunk))
      if (instead) return { word, instead }
    }
    return undefined
  }

  // --- internal ---

  /** The vocabulary holds stems; a stem is compared with the beginning of the word, since the word's own stem is not known. */
  #nearestStem(word: string): string | undefined {
    const limit = allowance(word)
    let best: { term: string; distance: number } | undefined
    for (const prefix of [word.slice(0, 2), word.slice(0, 1)]) {
      for (const { term } of this.#vocabulary.termsBetween.all(prefix, `${prefix}\u{10ffff}`, MAX_VOCABULARY)) {
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

const MAX_VOCABULARY = 4000
const MIN_CORRECTED = 4

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
