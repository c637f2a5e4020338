/** Looks for a literal in the texts themselves: signs, symbols and parts of words are in no full-text index. */
import type { SourceText } from './source-text.js'

/** Characters that are looked through at most, the newest sources first. */
export const MAX_SCANNED = 32_000_000

/**
 * Offsets where the literal stands, whatever its case, at most `limit`.
 * @param literal in lower case
 */
export function placesOfLiteral(text: SourceText, literal: string, limit: number): number[] {
  const found: number[] = []
  let carried = ''
  let start = 0
  for (const page of text.pages()) {
    const window = carried + page.toLowerCase()
    const base = start - carried.length
    for (let at = window.indexOf(literal); at >= 0; at = window.indexOf(literal, at + literal.length)) {
      found.push(base + at)
      if (found.length >= limit) return found
    }
    start += page.length
    carried = literal.length > 1 ? window.slice(1 - literal.length) : ''
  }
  return found
}
