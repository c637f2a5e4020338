/** o200k tokens of texts: exact where that is fast, estimated and marked elsewhere. Runs in the compute pool only. */
import { countTokens as countExactly, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import type { TextSample } from '../base/text-sample.js'
import { safeCut, utf8Length } from '../base/utf8.js'
import type { TokenCount } from '../protocol/compute-api.js'

/** Texts up to this many UTF-8 bytes are counted exactly, if no run in them is too long. */
export const EXACT_BYTES = 65_536

/**
 * One count for each text. The tokenizer's time is quadratic in the length of an unbroken run (letters, signs or white space;
 * digits are taken by threes), so a text with a run over 1,000 characters is estimated like a long one.
 *
 * The estimate: pieces of 1,000 characters, all of them or 32 at even distances, are counted exactly, and the sum is scaled by
 * characters in the text / characters counted. It is linear at worst, and a cut adds less than one token a piece.
 */
export function countTokens(texts: readonly string[]): TokenCount[] {
  setMergeCacheSize(CACHED_WORDS)
  return texts.map((text) => {
    if (text.length <= EXACT_BYTES && utf8Length(text) <= EXACT_BYTES && !LONG_RUN.test(text)) {
      return { tokens: count(text), estimated: false }
    }
    return { tokens: estimate(text), estimated: true }
  })
}

/** Whether a run in a text is too long to be counted exactly. */
export function hasLongRun(text: string): boolean {
  return LONG_RUN.test(text)
}

/** Tokens of texts, or of what a sample of them stands for. */
export function countSample({ texts, chars }: TextSample): TokenCount {
  const counts = countTokens(texts)
  const counted = texts.reduce((sum, text) => sum + text.length, 0)
  const tokens = counts.reduce((sum, count) => sum + count.tokens, 0)
  if (counted === chars || counted === 0) return { tokens, estimated: counts.some(({ estimated }) => estimated) }
  return { tokens: Math.round((tokens * chars) / counted), estimated: true }
}

// --- internal ---

const LONG_RUN = /[\p{L}\p{M}]{1001}|[^\s\p{L}\p{N}]{1001}|\s{1001}/u
const PIECE = 1_000
const SAMPLES = 32
/** A cached word keeps alive the text it was cut from; the default of 100,000 could keep gigabytes. */
const CACHED_WORDS = 1_000
/** Names of special tokens (`<|endoftext|>`) in a text are text. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

function count(text: string): number {
  return countExactly(text, PLAIN)
}

function estimate(text: string): number {
  const pieces = Math.ceil(text.length / PIECE)
  const samples = Math.min(pieces, SAMPLES)
  let tokens = 0
  let chars = 0
  for (let i = 0; i < samples; i++) {
    const start = Math.floor((i * pieces) / samples) * PIECE
    const piece = text.slice(safeCut(text, start), safeCut(text, start + PIECE))
    tokens += count(piece)
    chars += piece.length
  }
  return Math.round((tokens * text.length) / chars)
}
