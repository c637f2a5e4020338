/** A long text cut in the middle: its head and its tail with a marker between them. */
import { safeCut } from '../../base/utf8.js'

export interface Cut {
  /** Characters (UTF-16 code units) that are left out. */
  readonly missing: number
  readonly total: number
}

/**
 * At most `maxChars` UTF-16 code units of the text, 70 % of them its head and 30 % its tail, and the marker on lines of its own. No code
 * point, surrogate pair or escape is split. Undefined where the text has no more than that, or would not become shorter.
 */
export function cutMiddle(text: string, maxChars: number, marker: (cut: Cut) => string): string | undefined {
  if (text.length <= maxChars) return undefined
  const headChars = Math.ceil(maxChars * HEAD_SHARE)
  const head = text.slice(0, safeCut(text, headChars))
  const tail = text.slice(cutAtOrAfter(text, text.length - (maxChars - headChars)))
  const between = marker({ missing: text.length - head.length - tail.length, total: text.length })
  const cut = `${head}${head === '' || head.endsWith('\n') ? '' : '\n'}${between}${tail === '' ? '' : '\n'}${tail}`
  return cut.length < text.length ? cut : undefined
}

/** The texts of a result as one, a blank line between two of them. */
export function joinTexts(parts: readonly { readonly text: string }[]): string {
  return parts.map(({ text }) => text).join('\n\n')
}

// --- internal ---

const HEAD_SHARE = 0.7

/** A safe cut moves back by no more than an escape, so the next one ahead is near. */
function cutAtOrAfter(text: string, from: number): number {
  let at = from
  while (safeCut(text, at) !== at) at++
  return at
}
