/** JSON as text: is it valid, and the same tokens with other white space. Nothing is parsed, so nothing changes. */

import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  spaceEnd,
  stringEnd,
} from './json-scan.js'

/** Whether the text is one JSON object or array, with nothing but white space around it. As strict as JSON.parse, without its values. */
export function isJson(text: string): boolean {
  let at = spaceEnd(text, 0)
  if (text.charCodeAt(at) !== OPEN_BRACE && text.charCodeAt(at) !== OPEN_BRACKET) return false
  const closers: number[] = []
  while (at >= 0) {
    const opener = text.charCodeAt(at)
    if (opener === OPEN_BRACE || opener === OPEN_BRACKET) {
      const closer = opener + 2
      const inside = spaceEnd(text, at + 1)
      if (text.charCodeAt(inside) !== closer) {
        closers.push(closer)
        at = closer === CLOSE_BRACE ? memberValue(text, inside) : inside
        continue
      }
      at = inside + 1
    } else {
      at = opener === QUOTE ? checkedStringEnd(text, at) : checkedScalarEnd(text, at)
      if (at < 0) return false
    }
    at = spaceEnd(text, at)
    while (closers.length > 0 && text.charCodeAt(at) === closers[closers.length - 1]) {
      closers.pop()
      at = spaceEnd(text, at + 1)
    }
    if (closers.length === 0) return at === text.length
    if (text.charCodeAt(at) !== COMMA) return false
    at = spaceEnd(text, at + 1)
    if (closers[closers.length - 1] === CLOSE_BRACE) at = memberValue(text, at)
  }
  return false
}

/**
 * Valid JSON text with one member or element a line, two spaces a level (at most 64 levels show, or depth would make it
 * quadratic), empty containers as `{}` and `[]`.
 */
export function reindentJson(text: string): string {
  const out = new Pieces()
  let depth = 0
  let from = spaceEnd(text, 0)
  let i = from
  while (i < text.length) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      i = stringEnd(text, i)
    } else if (code === COMMA) {
      out.add(text.slice(from, i + 1), newline(depth))
      i = from = spaceEnd(text, i + 1)
    } else if (code === COLON) {
      out.add(text.slice(from, i + 1), ' ')
      i = from = spaceEnd(text, i + 1)
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      const inside = spaceEnd(text, i + 1)
      const empty = text.charCodeAt(inside) === code + 2
      if (!empty) depth++
      out.add(text.slice(from, i + 1), empty ? text.charAt(inside) : newline(depth))
      i = from = empty ? inside + 1 : inside
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--
      out.add(text.slice(from, i), newline(depth))
      from = i++
    } else if (code <= SPACE && isSpace(code)) {
      out.add(text.slice(from, i), '')
      i = from = spaceEnd(text, i)
    } else i++
  }
  out.add(text.slice(from), '')
  return out.toString()
}

/** Valid JSON text without white space between its tokens. */
export function minifyJson(text: string): string {
  const out = new Pieces()
  let from = 0
  let i = 0
  while (i < text.length) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = stringEnd(text, i)
    else if (code <= SPACE && isSpace(code)) {
      out.add(text.slice(from, i), '')
      i = from = spaceEnd(text, i)
    } else i++
  }
  if (from === 0) return text
  out.add(text.slice(from), '')
  return out.toString()
}

// --- internal ---

const MAX_INDENT = 64
const NEWLINES = Array.from({ length: MAX_INDENT + 1 }, (_, depth) => `\n${'  '.repeat(depth)}`)
const PIECES_HELD = 8_192

/** Collects a long text; joins in batches, since a slice of a few characters costs more to hold than to copy. */
class Pieces {
  readonly #joined: string[] = []
  #held: string[] = []

  add(piece: string, tail: string): void {
    this.#held.push(piece, tail)
    if (this.#held.length < PIECES_HELD) return
    this.#joined.push(this.#held.join(''))
    this.#held = []
  }

  toString(): string {
    return this.#joined.join('') + this.#held.join('')
  }
}

function newline(depth: number): string {
  return NEWLINES[Math.max(0, Math.min(depth, MAX_INDENT))] ?? '\n'
}

/** Where the value of the member that starts at `at` starts, or -1. */
function memberValue(text: string, at: number): number {
  if (text.charCodeAt(at) !== QUOTE) return -1
  const end = checkedStringEnd(text, at)
  if (end < 0) return -1
  const colon = spaceEnd(text, end)
  return text.charCodeAt(colon) === COLON ? spaceEnd(text, colon + 1) : -1
}

function checkedStringEnd(text: string, at: number): number {
  const length = text.length
  for (let i = at + 1; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) return i + 1
    if (code < SPACE) return -1
    if (code !== BACKSLASH) continue
    ESCAPE.lastIndex = i
    if (!ESCAPE.test(text)) return -1
    i = ESCAPE.lastIndex - 1
  }
  return -1
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

function checkedScalarEnd(text: string, at: number): number {
  SCALAR.lastIndex = at
  return SCALAR.test(text) ? SCALAR.lastIndex : -1
}
