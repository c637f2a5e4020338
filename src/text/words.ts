/** The words inside identifiers: `createPullRequest` has create, Pull and Request. */

/**
 * The extra words to index beside a text: the parts of each identifier in it that splits at a change of case or between letters
 * and digits, in order, each identifier once. Empty when there are none. Runs that look random (ids, hashes, base64) are left out.
 */
export function identifierWords(text: string): string {
  const seen = new Set<string>()
  const found: string[] = []
  const boundary = new RegExp(BOUNDARY)
  while (boundary.test(text)) {
    const at = boundary.lastIndex - 1
    let start = at
    while (start > 0 && at - start <= MAX_WORD && isWord(text.charCodeAt(start - 1))) start--
    let end = at
    while (end < text.length && isWord(text.charCodeAt(end))) end++
    boundary.lastIndex = end
    if (end - start > MAX_WORD) continue
    if (text.charCodeAt(start - 1) === BACKSLASH && ESCAPED.test(text.charAt(start))) start++
    const word = text.slice(start, end)
    if (seen.has(word)) continue
    seen.add(word)
    const parts = cased(word)
    if (parts.length > 1) found.push(parts.join(' '))
  }
  return found.join(' ')
}

/** The parts of a query's word, in order, split at case, digits and anything that is no letter or digit. */
export function splitIdentifier(word: string): string[] {
  return (word.match(PLAIN_WORD) ?? []).flatMap(cased)
}

// --- internal ---

/** A longer run is no identifier. */
const MAX_WORD = 64
const BOUNDARY = /[a-zß-öø-ÿ][A-ZÀ-ÖØ-Þ]|[A-Za-zÀ-ÖØ-öø-ÿ]\d|\d[A-Za-zÀ-ÖØ-öø-ÿ]|[A-ZÀ-ÖØ-Þ]{2}[a-zß-öø-ÿ]/g
const PLAIN_WORD = /[\p{L}\p{M}\p{N}]+/gu
const PART = /\p{Lu}+(?=s\b|s\P{Ll})s|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}|\p{N}+|[\p{L}\p{M}]+/gu
const BACKSLASH = 0x5c
/** The `n` of `\\nWord` in JSON text is no part of the word. */
const ESCAPED = /[nrtbf]/
const HEX = /^[0-9a-f]{4,}$/i
/** Shorter parts than this on average are those of a random id. */
const MIN_MEAN_PART = 2

function cased(word: string): string[] {
  if (word.length > MAX_WORD || /^\d/.test(word) || (HEX.test(word) && /\d/.test(word))) return [word]
  const parts = word.match(PART) ?? [word]
  return parts.length > 1 && word.length < parts.length * MIN_MEAN_PART ? [word] : parts
}

function isWord(code: number): boolean {
  if (code < 0x80) {
    const lower = code | 0x20
    return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39)
  }
  return code >= 0xc0 && code !== 0xd7 && code !== 0xf7 && code < 0x100
}
