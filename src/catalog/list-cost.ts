/** What a list of entries costs in tokens, from what each entry costs: arithmetic only, exact to the token. */
import type { PreparedEntry } from '../protocol/catalog-api.js'

/**
 * o200k tokens of the JSON text `[e1,e2,…]`. That a sum can be exact is due to the tokenizer's first step, which always parts a
 * run of signs from a letter behind it: every entry starts with `{"` and a letter or digit, so all that two neighbours
 * share is the run that ends in `,{"`, and its tokens count for the first of them.
 */
export function listTokens(entries: readonly Pick<PreparedEntry, 'tokens' | 'lastTokens'>[]): number {
  const last = entries.at(-1)
  if (!last) return EMPTY_LIST
  return entries.reduce((sum, { tokens }) => sum + tokens, OPENING + last.lastTokens - last.tokens)
}

// --- internal ---

/** Tokens of `[]`. */
const EMPTY_LIST = 1
/** Tokens of `[{"`. */
const OPENING = 2
