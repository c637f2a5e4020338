/** A tool result's text made shorter: JSON without white space, long text cut in the middle. What is not concerned stays to the byte. */
import { utf8Length } from '../../base/utf8.js'
import { applyEdits, type Edit, textOf } from '../../protocol/json-spans.js'
import type { TextDiet } from '../../protocol/result-diet.js'
import { isJson, minifyJson } from '../json-text.js'
import { type Cut, cutMiddle, joinTexts } from './cut-middle.js'
import { memberOf } from './frame-outline.js'
import { replaceText } from './replace-text.js'
import { openResult, resultText, textSlot } from './result-parts.js'

/**
 * The same frame where nothing is to be done to it. A structuredContent is minified and never cut: a client checks it against the
 * tool's outputSchema.
 */
export function slimText(frame: Uint8Array, { minify, maxChars }: TextDiet): Uint8Array {
  const minified = minify ? edited(frame, minifyEdits(frame)) : frame
  return maxChars === undefined ? minified : edited(minified, cutEdits(minified, maxChars))
}

// --- internal ---

function edited(frame: Uint8Array, edits: readonly Edit[]): Uint8Array {
  return edits.length === 0 ? frame : applyEdits(frame, edits)
}

function minifyEdits(frame: Uint8Array): Edit[] {
  const outline = openResult(frame)
  if (!outline) return []
  const edits = resultText(frame, outline, 'tool').blocks.flatMap((part): Edit[] => {
    if (!isJson(part.text)) return []
    const text = minifyJson(part.text)
    return text === part.text ? [] : [{ ...textSlot(frame, part), text: JSON.stringify(text) }]
  })
  const structured = memberOf(outline, 'structuredContent')
  if (!structured) return edits
  const text = minifyJson(textOf(frame, structured))
  return utf8Length(text) < structured.end - structured.start ? [...edits, { ...structured, text }] : edits
}

function cutEdits(frame: Uint8Array, maxChars: number): Edit[] {
  const outline = openResult(frame)
  if (!outline) return []
  const found = resultText(frame, outline, 'tool')
  const text = cutMiddle(joinTexts(found.blocks), maxChars, renderMarker)
  return text === undefined ? [] : replaceText(frame, found, { text, keepsStructured: true, inPlace: true })
}

function renderMarker({ missing, total }: Cut): string {
  return `[… ${missing} of ${total} characters were cut out here and are kept nowhere …]`
}
