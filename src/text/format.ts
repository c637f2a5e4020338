/** What kind of text it is, told from its head. */

import { looksLikeCode, looksLikeCsv, looksLikeLog, looksLikeMarkdown, looksLikeNdjson } from './evidence.js'
import { isJson } from './json-text.js'

export type Format = 'json' | 'ndjson' | 'markdown' | 'html' | 'diff' | 'csv' | 'log' | 'code' | 'plain'

/** The MIME type is believed where it names a format; JSON is checked, for re-indenting relies on it. */
export function detectFormat(text: string, mimeType?: string): Format {
  if (isJson(text)) return 'json'
  const named = mimeType === undefined ? undefined : byMimeType(mimeType)
  if (named) return named
  const head = text.slice(text.startsWith('\ufeff') ? 1 : 0, HEAD)
  const lines = head.split('\n', MAX_LINES).filter((line) => line.trim() !== '')
  if (looksLikeNdjson(lines, text.length > HEAD)) return 'ndjson'
  if (HTML.test(head)) return 'html'
  if (isDiff(head)) return 'diff'
  if (FRONT_MATTER.test(head)) return 'markdown'
  if (looksLikeCsv(lines)) return 'csv'
  if (looksLikeLog(lines)) return 'log'
  if (looksLikeCode(lines)) return 'code'
  return looksLikeMarkdown(lines) ? 'markdown' : 'plain'
}

// --- internal ---

/** Characters and lines that are looked at. */
const HEAD = 65_536
const MAX_LINES = 300

const HTML =
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,4000}?-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|div|main|article|section|header|nav|table|ul|ol|p|h[1-6])\b/i
const DIFF = /^(?:diff --(?:git|cc|combined) |--- \S[^\n]*\n\+\+\+ \S|Index: \S[^\n]*\n=====)/m
const FRONT_MATTER = /^---[ \t]*\r?\n(?:[\w-]+:|#)[^\n]*\n(?:[^\n]*\n){0,100}?---[ \t]*\r?\n/

const MIME_TYPES: readonly (readonly [RegExp, Format])[] = [
  [/^text\/(?:x-)?markdown$/, 'markdown'],
  [/^(?:text\/html|application\/xhtml\+xml)$/, 'html'],
  [/^text\/(?:csv|tab-separated-values)$/, 'csv'],
  [/^text\/(?:x-)?(?:diff|patch)$/, 'diff'],
  [/^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-seq)$/, 'ndjson'],
  [
    /^(?:text|application)\/(?:x-)?(?:javascript|ecmascript|typescript|python|c|c\+\+|csrc|java|java-source|rust|go|ruby|sh|sql|php)$/,
    'code',
  ],
]

function byMimeType(mimeType: string): Format | undefined {
  const essence = (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase()
  return MIME_TYPES.find(([pattern]) => pattern.test(essence))?.[1]
}

/** A diff quoted in a fence is part of a document. */
function isDiff(head: string): boolean {
  const at = head.search(DIFF)
  return at >= 0 && !/^(?:```|~~~|#{1,6} )/m.test(head.slice(0, at))
}
