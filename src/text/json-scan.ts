/**
 * Lexical steps over JSON text. All offsets are UTF-16 code units. The functions take valid JSON; on broken text they end and
 * stay inside it.
 */

export const TAB = 0x09
export const LF = 0x0a
export const CR = 0x0d
export const SPACE = 0x20
export const QUOTE = 0x22
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPEN_BRACKET = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_BRACKET = 0x5d
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d

export interface TextMember {
  readonly key: string
  /** Where the key's opening quote stands. */
  readonly keyAt: number
  readonly valueAt: number
}

export function isSpace(code: number): boolean {
  return code === SPACE || code === LF || code === CR || code === TAB
}

export function isOpener(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET
}

/** The offset of the first character at or after `at` that is no JSON white space. */
export function spaceEnd(text: string, at: number): number {
  let i = at
  while (i < text.length && isSpace(text.charCodeAt(i))) i++
  return i
}

/** The offset behind the string whose opening quote stands at `at`. */
export function stringEnd(text: string, at: number): number {
  const length = text.length
  for (let i = at + 1; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) return i + 1
    if (code === BACKSLASH) i++
  }
  return length
}

/** The offset behind the number or literal that starts at `at`. */
export function scalarEnd(text: string, at: number): number {
  let i = at
  while (i < text.length) {
    const code = text.charCodeAt(i)
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code)) break
    i++
  }
  return i
}

/** The offset behind the value that starts at `at`. */
export function valueEnd(text: string, at: number): number {
  const first = text.charCodeAt(at)
  if (first === QUOTE) return stringEnd(text, at)
  if (!isOpener(first)) return scalarEnd(text, at)
  const length = text.length
  let depth = 0
  for (let i = at; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = stringEnd(text, i) - 1
    else if (isOpener(code)) depth++
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return i + 1
  }
  return length
}

/** The member that starts at `at`, or undefined where the object ends. */
export function memberAt(text: string, at: number): TextMember | undefined {
  if (text.charCodeAt(at) !== QUOTE) return undefined
  const keyEnd = stringEnd(text, at)
  const colon = spaceEnd(text, keyEnd)
  if (text.charCodeAt(colon) !== COLON) return undefined
  return { key: unquoted(text.slice(at, keyEnd)), keyAt: at, valueAt: spaceEnd(text, colon + 1) }
}

/** Where the next member or element starts behind a value that ends at `at`, or where the closing bracket stands. */
export function nextItem(text: string, at: number): number {
  const i = spaceEnd(text, at)
  return text.charCodeAt(i) === COMMA ? spaceEnd(text, i + 1) : i
}

/** The string that JSON text in quotes stands for. */
export function unquoted(json: string): string {
  if (!json.includes('\\')) return json.slice(1, -1)
  try {
    return JSON.parse(json) as string
  } catch {
    return json.slice(1, -1)
  }
}
