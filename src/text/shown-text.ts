/** The form in which a text is shown, numbered and searched. */

import { detectFormat, type Format } from './format.js'
import { reindentJson } from './json-text.js'

export interface ShownText {
  readonly text: string
  readonly format: Format
  /** Whether `text` differs from the original. */
  readonly changed: boolean
}

/** Above this many characters a line on average, JSON is re-indented. */
const MAX_MEAN_LINE = 400
/** A longer text could outgrow the longest string there is. */
const MAX_REINDENTED = 67_108_864

/** The text itself, or, for JSON with long lines, the same JSON with one member or element a line. */
export function shownText(text: string, mimeType?: string): ShownText {
  const format = detectFormat(text, mimeType)
  if (format !== 'json' || text.length > MAX_REINDENTED || !hasLongLines(text)) return { text, format, changed: false }
  const shown = reindentJson(text)
  return { text: shown, format, changed: shown !== text }
}

// --- internal ---

function hasLongLines(text: string): boolean {
  const body = text.trimEnd().length
  const enough = body / MAX_MEAN_LINE
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < body && lines < enough; at = text.indexOf('\n', at + 1)) lines++
  return lines < enough
}
