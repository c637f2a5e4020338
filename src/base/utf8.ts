/** Sizes and cuts of text that never split a code point or an escape. Offsets are UTF-16 code units unless a name says bytes. */

const BACKSLASH = 0x5c
const ESCAPE_REACH = 12
/** Even; a longer run of backslashes would make many cuts quadratic. */
const MAX_RUN = 4_096

export function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

/**
 * The largest offset at or below `at` that splits no surrogate pair and no backslash escape (`\n`, `\u00e9`, `\ud83d\ude00`).
 * It looks only a few characters back, so the same `at` gives the same cut wherever it is asked from.
 */
export function safeCut(text: string, at: number): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  const cut = escapeStart(text, at)
  return cut > 0 && isLowSurrogate(text.charCodeAt(cut)) && isHighSurrogate(text.charCodeAt(cut - 1)) ? cut - 1 : cut
}

/** The longest head of `text` of at most `maxBytes` UTF-8 bytes, cut safely. */
export function headWithin(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || utf8Length(text) <= maxBytes) return text
  const window = text.slice(0, maxBytes)
  let bytes = 0
  let at = 0
  while (at < window.length) {
    const point = window.codePointAt(at) ?? 0
    const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
    if (bytes + size > maxBytes) break
    bytes += size
    at += point > 0xffff ? 2 : 1
  }
  return text.slice(0, safeCut(text, at))
}

/** `text` in at most `maxChars` code units, with `…` at its end when something was left out. */
export function ellipsize(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, safeCut(text, maxChars - 1)).trimEnd()}…`
}

// --- internal ---

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** `at`, or the start of the escape that `at` lies inside of. An escaped surrogate pair counts as one escape. */
function escapeStart(text: string, at: number): number {
  const from = Math.max(0, at - ESCAPE_REACH + 1)
  let start = isEscaped(text, from) ? from + 1 : from
  while (start < at) {
    const end = text.charCodeAt(start) === BACKSLASH ? start + escapeLength(text, start) : start + 1
    if (end > at) return start
    start = end
  }
  return at
}

function escapeLength(text: string, start: number): number {
  const found = /^\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^u]|u)/u.exec(
    text.slice(start, start + ESCAPE_REACH),
  )
  return found?.[0].length ?? 1
}

/** Whether the character at `start` is escaped: an odd run of backslashes before it. Of endless runs only the end is looked at. */
function isEscaped(text: string, start: number): boolean {
  let run = 0
  while (run < MAX_RUN && start > run && text.charCodeAt(start - run - 1) === BACKSLASH) run++
  return run % 2 === 1
}
