/** JSON as text: the same tokens with other white space. Nothing is parsed, so nothing changes. */

import { isContainer } from './json-check.js'
import {
  COLON,
  COMMA,
  type Codes,
  codesOf,
  isCloser,
  isOpener,
  isSpace,
  LF,
  QUOTE,
  SPACE,
  spaceEnd,
  stringEnd,
} from './json-scan.js'

/** Whether the text is one JSON object or array, with nothing but white space around it. */
export function isJson(text: string): boolean {
  return START.test(text.slice(0, START_REACH)) && isContainer(codesOf(text))
}

/**
 * Valid JSON text with one member or element a line, two spaces a level, empty containers as `{}` and `[]`. At most 64 levels
 * show, and where the result would be six times the text and over 16 Mi units, the rest is not indented: nesting alone must not
 * make a small text a huge one.
 */
export function reindentJson(text: string): string {
  const codes = codesOf(text)
  const out = new Writer(codes)
  let depth = 0
  let from = spaceEnd(codes, 0)
  let i = from
  while (i < codes.length) {
    const code = codes[i] as number
    if (code === QUOTE) {
      i = stringEnd(codes, i)
    } else if (code === COMMA) {
      out.copy(from, i + 1)
      out.newline(depth)
      i = from = spaceEnd(codes, i + 1)
    } else if (code === COLON) {
      out.copy(from, i + 1)
      out.put(SPACE)
      i = from = spaceEnd(codes, i + 1)
    } else if (isOpener(code)) {
      out.copy(from, i + 1)
      i = from = spaceEnd(codes, i + 1)
      if (codes[i] === code + 2) i++
      else out.newline(++depth)
    } else if (isCloser(code)) {
      out.copy(from, i)
      out.newline(--depth)
      from = i++
    } else if (isSpace(code)) {
      out.copy(from, i)
      i = from = spaceEnd(codes, i)
    } else i++
  }
  out.copy(from, i)
  return out.text()
}

/** Valid JSON text without white space between its tokens. */
export function minifyJson(text: string): string {
  const codes = codesOf(text)
  const out = new Writer(codes)
  let from = 0
  let i = 0
  while (i < codes.length) {
    const code = codes[i] as number
    if (code === QUOTE) i = stringEnd(codes, i)
    else if (isSpace(code)) {
      out.copy(from, i)
      i = from = spaceEnd(codes, i)
    } else i++
  }
  if (from === 0) return text
  out.copy(from, i)
  return out.text()
}

// --- internal ---

/** What JSON may start with, so that other texts are not copied for nothing. */
const START = /^[ \t\r\n]*(?:[{[]|$)/
const START_REACH = 1_000
const MAX_INDENT = 64
const FREE_INDENT = 16_777_216
const CAPACITY = 65_536

/** Writes code units copied from a source and turns them into a string, a buffer at a time. */
class Writer {
  readonly #source: Codes
  readonly #buffer: Codes
  readonly #written: string[] = []
  #length = 0
  #indentLeft: number

  constructor(source: Codes) {
    this.#source = source
    this.#indentLeft = Math.max(FREE_INDENT, source.length * 5)
    this.#buffer = source.BYTES_PER_ELEMENT === 1 ? new Uint8Array(CAPACITY) : new Uint16Array(CAPACITY)
  }

  copy(from: number, to: number): void {
    const source = this.#source
    const buffer = this.#buffer
    for (let start = from; start < to; ) {
      if (this.#length === CAPACITY) this.#flush()
      const end = Math.min(to, start + CAPACITY - this.#length)
      let length = this.#length
      for (let i = start; i < end; i++) buffer[length++] = source[i] as number
      this.#length = length
      start = end
    }
  }

  put(code: number): void {
    if (this.#length === CAPACITY) this.#flush()
    this.#buffer[this.#length++] = code
  }

  newline(depth: number): void {
    const indent = this.#indentLeft > 0 ? 2 * Math.max(0, Math.min(depth, MAX_INDENT)) : 0
    this.#indentLeft -= indent
    if (this.#length + indent >= CAPACITY) this.#flush()
    this.#buffer[this.#length++] = LF
    this.#buffer.fill(SPACE, this.#length, this.#length + indent)
    this.#length += indent
  }

  text(): string {
    this.#flush()
    return this.#written.join('')
  }

  #flush(): void {
    const { buffer, BYTES_PER_ELEMENT: width } = this.#buffer
    this.#written.push(Buffer.from(buffer, 0, this.#length * width).toString(width === 1 ? 'latin1' : 'utf16le'))
    this.#length = 0
  }
}
