/** The statements of a TOML text (a table's header, a key with its value) and where they stand. The text must be valid TOML. */
import { parse } from 'smol-toml'
import { isRecord } from '../option-schema.js'

export interface TomlStatement {
  readonly kind: 'header' | 'pair'
  /** From the root, the table it stands in included. */
  readonly path: readonly string[]
  /** Offset of the first character of its first line. */
  readonly start: number
  /** Offset behind the line break of its last line; a comment at the end of that line belongs to it. */
  readonly end: number
}

export function tomlStatements(text: string): TomlStatement[] {
  const statements: TomlStatement[] = []
  let table: readonly string[] = []
  for (let at = nextStatement(text, 0); at < text.length; at = nextStatement(text, at)) {
    const start = text.lastIndexOf('\n', at - 1) + 1
    if (text[at] === '[') {
      const open = text.startsWith('[[', at) ? 2 : 1
      const close = endOfKey(text, at + open, ']')
      table = keysOf(text.slice(at + open, close))
      at = lineEnd(text, close)
      statements.push({ kind: 'header', path: table, start, end: at })
    } else {
      const equals = endOfKey(text, at, '=')
      const path = [...table, ...keysOf(text.slice(at, equals))]
      at = endOfValue(text, equals + 1)
      statements.push({ kind: 'pair', path, start, end: at })
    }
  }
  return statements
}

// --- internal ---

/** Past white space and comments. */
function nextStatement(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    if (text[at] === '#') at = lineEnd(text, at)
    else if (/\s|\uFEFF/.test(text[at] ?? '')) at++
    else break
  }
  return at
}

/** Behind the line break, or the end of the text. */
function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at + 1
}

/** Where a key, which may be dotted and quoted, is followed by `sign`. */
function endOfKey(text: string, from: number, sign: string): number {
  let at = from
  while (at < text.length && text[at] !== sign) at = isQuote(text[at]) ? endOfString(text, at) : at + 1
  return at
}

/** A key's parts, read by the parser, which knows all its spellings. */
function keysOf(text: string): string[] {
  const keys: string[] = []
  for (let at: unknown = parse(`${text} = 0`); isRecord(at); ) {
    const [key, value] = Object.entries(at)[0] ?? []
    if (key !== undefined) keys.push(key)
    at = value
  }
  return keys
}

function endOfValue(text: string, from: number): number {
  let depth = 0
  let at = from
  while (at < text.length) {
    const sign = text[at]
    if (isQuote(sign)) at = endOfString(text, at)
    else if (sign === '#' || sign === '\n') {
      if (depth === 0) return lineEnd(text, at)
      at = lineEnd(text, at)
    } else {
      if (sign === '[' || sign === '{') depth++
      if (sign === ']' || sign === '}') depth--
      at++
    }
  }
  return at
}

function isQuote(sign: string | undefined): boolean {
  return sign === '"' || sign === "'"
}

/** Behind the closing quotes; up to two more quotes may stand right before the three that close a text of many lines. */
function endOfString(text: string, from: number): number {
  const quote = text[from] ?? ''
  const isLong = text.startsWith(quote.repeat(3), from)
  const closing = isLong ? quote.repeat(3) : quote
  let at = from + closing.length
  while (at < text.length && !text.startsWith(closing, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1
  at += closing.length
  while (isLong && text[at] === quote) at++
  return Math.min(at, text.length)
}
