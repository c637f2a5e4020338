/** Pieces that stand for texts too long to be counted whole. */
import { safeCut } from './utf8.js'

/** Texts, or even pieces of them, and how many characters (UTF-16) the whole has. */
export interface TextSample {
  readonly texts: readonly string[]
  readonly chars: number
}

/** Up to this many characters texts stand for themselves. */
export const WHOLE_CHARS = 65_536

/** The texts themselves, or 32 pieces of 1,000 characters at even distances over all of them. */
export function sampleOf(texts: readonly string[]): TextSample {
  const chars = texts.reduce((sum, text) => sum + text.length, 0)
  if (chars <= WHOLE_CHARS) return { texts, chars }
  const pieces: string[] = []
  let index = 0
  let before = 0
  for (let i = 0; i < SAMPLES; i++) {
    const at = Math.floor((i * (chars - PIECE)) / (SAMPLES - 1))
    while (at >= before + (texts[index]?.length ?? 0) && index < texts.length - 1) before += texts[index++]?.length ?? 0
    const text = texts[index] ?? ''
    pieces.push(text.slice(safeCut(text, at - before), safeCut(text, at - before + PIECE)))
  }
  return { texts: pieces, chars }
}

// --- internal ---

const PIECE = 1_000
const SAMPLES = 32
