/** Cuts a description to its budget at the end of a word. */
import { safeCut } from '../base/utf8.js'

/**
 * `text` in at most `budget` UTF-16 code units, `…` at its end included when something was left out; runs of white space become one
 * space, or one line break where they held one. A budget of 0 keeps `text` as it is. The result has never more UTF-8 bytes than `text`.
 */
export function cutDescription(text: string, budget: number): string {
  if (!(budget > 0)) return text
  const clean = text.trim().replace(/\s+/g, (run) => (run.includes('\n') ? '\n' : ' '))
  if (clean.length <= budget) return clean
  // At least three units go, for the three bytes that the ellipsis takes.
  const most = Math.min(budget - 1, clean.length - ELLIPSIS_BYTES)
  if (most < 1) return ''
  const words = clean.slice(0, wordEnd(clean, most)).replace(/[\s,;:([{–—-]+$/, '')
  return words === '' ? '' : `${words}…`
}

// --- internal ---

const ELLIPSIS_BYTES = 3

/** The end of the last word that ends at or before `most`; within a word where that would lose half, as in text without spaces. */
function wordEnd(text: string, most: number): number {
  if (/\s/.test(text.charAt(most))) return most
  for (let at = most; at > most / 2; at--) if (/\s/.test(text.charAt(at - 1))) return at - 1
  return safeCut(text, most)
}
