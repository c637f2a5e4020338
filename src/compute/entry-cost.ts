/** What each entry of a list costs in o200k tokens, so that the sum for any list of them is exact (see catalog/list-cost). */
import { safeCut } from '../base/utf8.js'
import type { PreparedEntry } from '../protocol/catalog-api.js'
import { countTokens } from './count-tokens.js'

export type EntryCost = Pick<PreparedEntry, 'tokens' | 'lastTokens'>

/**
 * A counter of entries, which must start with `{"` and a letter or digit. The tokenizer parts text after a letter or digit that
 * no letter, digit, mark or apostrophe follows, whatever stands before: there an entry is cut in two. The first part, without its
 * `{"`, has the same tokens in any list; what follows, a few signs, is counted with `,{"` or `]` behind it. Runs that take too
 * long to count are rated higher than they may be.
 */
export function createEntryCost(): (json: string) => EntryCost {
  const tails = new Map<string, EntryCost>()
  return (json) => {
    const cut = lastBoundary(json, json.length)
    const tail = json.slice(cut)
    let ends = tails.get(tail)
    if (!ends) {
      ends = { tokens: count(`${tail},${HEAD}`), lastTokens: count(`${tail}]`) }
      tails.set(tail, ends)
    }
    const body = countInPieces(json.slice(HEAD.length, cut))
    return { tokens: body + ends.tokens, lastTokens: body + ends.lastTokens }
  }
}

/** Tokens of a text of any length, counted in pieces between boundaries, so exactly; runs that take too long are rated as above. */
export function countInPieces(text: string): number {
  let tokens = 0
  for (let from = 0; from < text.length; ) {
    const piece = text.slice(from, safeCut(text, from + PIECE))
    const size = from + piece.length < text.length ? lastBoundary(piece, piece.length) : piece.length
    tokens += count(piece.slice(0, size))
    from += size
  }
  return tokens
}

// --- internal ---

const HEAD = '{"'
/** Short enough to be counted exactly, in UTF-8 too. */
const PIECE = 16_000
/** Half a surrogate pair at the end of a window could be a letter's. */
const BOUNDARY = /^.*[\p{L}\p{N}](?=[^\p{L}\p{M}\p{N}'\ud800-\udfff])/su
const WINDOW = 256
const ESTIMATE_MARGIN = 1.05

/** The last offset below `end` where the tokenizer is sure to part `text`; `end` if there is none. */
function lastBoundary(text: string, end: number): number {
  for (let reach = WINDOW, start = end; start > 0; reach *= 4) {
    start = safeCut(text, end - reach)
    const found = BOUNDARY.exec(text.slice(start, end))
    if (found) return start + found[0].length
  }
  return end
}

function count(text: string): number {
  const [counted] = countTokens([text])
  if (!counted) return 0
  return counted.estimated ? Math.ceil(counted.tokens * ESTIMATE_MARGIN) : counted.tokens
}
