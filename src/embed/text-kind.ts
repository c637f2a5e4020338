/** What kind of text a passage or query is, as far as embedding it goes. */
import type { DenseWeights } from '../protocol/vector-api.js'

/** Code counts words better than meaning: its signs stand thicker than prose ever has them. */
export function kindOf(text: string): keyof DenseWeights {
  const sample = text.slice(0, SAMPLE_CHARS)
  const signs = sample.match(/[{}()[\];=<>_"'`$#*/\\|&]/g)?.length ?? 0
  return signs > sample.length * CODE_SHARE ? 'code' : 'prose'
}

/** Whether a query asks for a meaning at all: not in quotes, no path, identifier, number or code, and in a script that the model knows. */
export function asksForMeaning(query: string, latinOnly: boolean): boolean {
  if (query.length > MAX_QUERY_CHARS || LITERAL.test(query)) return false
  const letters = query.match(/\p{L}/gu)?.length ?? 0
  if (letters < MIN_LETTERS) return false
  const latin = query.match(/\p{Script=Latin}/gu)?.length ?? 0
  return !latinOnly || latin >= letters * LATIN_SHARE
}

// --- internal ---

const SAMPLE_CHARS = 2_000
const CODE_SHARE = 0.04
const MAX_QUERY_CHARS = 2_000
const MIN_LETTERS = 3
const LATIN_SHARE = 0.8
/** Quotes around something, or a query that is one word with a sign, digit or capital inside. */
const LITERAL = /^\s*["'`“].*["'`”]\s*$|^\s*\S*(?:[\d_/\\:.$(){}[\]=<>@#-]|\p{Ll}\p{Lu})\S*\s*$/su
