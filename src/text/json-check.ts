/** Whether text is JSON: as strict as JSON.parse, without building its values. */

import {
  BACKSLASH,
  CLOSE_BRACE,
  COLON,
  COMMA,
  type Codes,
  isOpener,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  spaceEnd,
} from './json-scan.js'

/** Whether the text is one object or array, with nothing but white space around it. */
export function isContainer(codes: Codes): boolean {
  const at = spaceEnd(codes, 0)
  if (!isOpener(codes[at])) return false
  const end = checkedValue(codes, at)
  return end > 0 && spaceEnd(codes, end) === codes.length
}

/** The offset behind the JSON value that starts at `start`, or -1 if there is none. */
export function checkedValue(codes: Codes, start: number): number {
  let at = start
  const closers: number[] = []
  while (at >= 0) {
    const first = codes[at]
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      const closer = first + 2
      const inside = spaceEnd(codes, at + 1)
      if (codes[inside] !== closer) {
        closers.push(closer)
        at = closer === CLOSE_BRACE ? memberValue(codes, inside) : inside
        continue
      }
      at = inside + 1
    } else {
      at = first === QUOTE ? checkedString(codes, at) : checkedScalar(codes, at)
      if (at < 0) return -1
    }
    if (closers.length === 0) return at
    at = spaceEnd(codes, at)
    while (closers.length > 0 && codes[at] === closers[closers.length - 1]) {
      closers.pop()
      if (closers.length === 0) return at + 1
      at = spaceEnd(codes, at + 1)
    }
    if (codes[at] !== COMMA) return -1
    at = spaceEnd(codes, at + 1)
    if (closers[closers.length - 1] === CLOSE_BRACE) at = memberValue(codes, at)
  }
  return -1
}

/** The offset behind the string that opens at `at`, or -1. */
export function checkedString(codes: Codes, at: number): number {
  const length = codes.length
  for (let i = at + 1; i < length; i++) {
    const code = codes[i] as number
    if (code === QUOTE) return i + 1
    if (code < SPACE) return -1
    if (code !== BACKSLASH) continue
    const escaped = codes[++i] ?? 0
    if (escaped === LOWER_U) {
      for (let n = 0; n < 4; n++) if (!isHex(codes[++i])) return -1
    } else if (!ESCAPABLE.has(escaped)) return -1
  }
  return -1
}

// --- internal ---

const MINUS = 0x2d
const PLUS = 0x2b
const DOT = 0x2e
const ZERO = 0x30
const LOWER_E = 0x65
const LOWER_U = 0x75
const CASE_BIT = 0x20
const ESCAPABLE = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)))
const LITERALS = ['true', 'false', 'null'].map((word) => [...word].map((char) => char.charCodeAt(0)))

/** Where the value of the member that starts at `at` starts, or -1. */
function memberValue(codes: Codes, at: number): number {
  const end = codes[at] === QUOTE ? checkedString(codes, at) : -1
  if (end < 0) return -1
  const colon = spaceEnd(codes, end)
  return codes[colon] === COLON ? spaceEnd(codes, colon + 1) : -1
}

/** The offset behind the number or literal that starts at `at`, or -1. */
function checkedScalar(codes: Codes, at: number): number {
  let i = codes[at] === MINUS ? at + 1 : at
  if (!isDigit(codes[i])) return literalEnd(codes, at)
  i = codes[i] === ZERO ? i + 1 : digitsEnd(codes, i)
  if (codes[i] === DOT) {
    if (!isDigit(codes[i + 1])) return -1
    i = digitsEnd(codes, i + 1)
  }
  if (((codes[i] ?? 0) | CASE_BIT) === LOWER_E) {
    i = codes[i + 1] === PLUS || codes[i + 1] === MINUS ? i + 2 : i + 1
    if (!isDigit(codes[i])) return -1
    i = digitsEnd(codes, i)
  }
  return i
}

function literalEnd(codes: Codes, at: number): number {
  for (const word of LITERALS) if (word.every((code, i) => codes[at + i] === code)) return at + word.length
  return -1
}

function digitsEnd(codes: Codes, at: number): number {
  let i = at
  while (i < codes.length && isDigit(codes[i])) i++
  return i
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= ZERO && code <= 0x39
}

function isHex(code: number | undefined): boolean {
  const lower = (code ?? 0) | CASE_BIT
  return isDigit(code) || (lower >= 0x61 && lower <= 0x66)
}
