/** Sections of source code: its definitions, known by their keywords, for many languages at once. */

import type { LineIndex } from '../line-index.js'
import { asTitle, type Section } from '../section.js'

/** Definitions at the left edge have depth 1, indented ones 2. Statements of one kind in a row (INSERT INTO the same table) count once. */
export function codeSections(text: string, lines: LineIndex): Section[] {
  const sections: Section[] = []
  let before = ''
  for (let line = 1; line <= lines.count; line++) {
    const start = lines.start(line)
    const first = text.charCodeAt(start)
    if (first <= SPACE ? !mayBeIndented(text, start) : !isWordStart(first)) continue
    const head = text.slice(start, Math.min(lines.end(line), start + REACH))
    const found = definition(head)
    if (!found || found === before) continue
    before = found
    sections.push({ title: asTitle(found), line, depth: first <= SPACE ? 2 : 1 })
  }
  return sections
}

// --- internal ---

const SPACE = 0x20
const TAB = 0x09
const AT = 0x40
const HASH = 0x23
const MAX_INDENT = 8
const REACH = 240

const WORDS = [
  ...['export', 'default', 'declare', 'public', 'private', 'protected', 'internal', 'static', 'abstract', 'final', 'sealed'],
  ...['override', 'async', 'unsafe', 'inline', 'virtual', 'open', 'data', 'readonly', 'const', 'extern', 'partial'],
  'pub(?:\\([^)]*\\))?',
]
const KINDS = [
  ...['function\\*?', 'class', 'interface', 'enum', 'struct', 'union', 'trait', 'impl', 'protocol', 'record', 'object'],
  ...['module', 'namespace', 'def', 'fn', 'func', 'fun', 'sub', 'mod', 'macro', 'defmodule', 'defp?', 'type', 'package'],
]
const MODIFIERS = `(?:(?:${WORDS.join('|')})\\s+)*`
const NAMED = new RegExp(`^\\s*${MODIFIERS}(?:${KINDS.join('|')})\\s*[<(]?[\\p{L}_$]`, 'u')
const ASSIGNED = /^(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*(?::[^=]+)?=\s*(?:async\b|function\b|class\b|\(|[\w$]+\s*=>)/
const CONSTANT = /^export\s+(?:const|let|var)\s+[\w$]+/
const MACRO = /^#\s*define\s+\w+\(/
const TYPED =
  /^(?!return\b|else\b|if\b|for\b|while\b|switch\b|throw\b|new\b)[\w:<>,*&~[\] ]+[ *&][\w:~]+\([^;]*\)?\s*(?:const\s*)?\{?\s*$/
const SQL =
  /^(?:(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+|UNIQUE\s+|TEMP(?:ORARY)?\s+|MATERIALIZED\s+|ONLY\s+)*[A-Z]+\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+|ONLY\s+)*[\w."`[\]]+|(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|COPY)\s+[\w."`[\]]+)/i

function definition(head: string): string | undefined {
  const sql = SQL.exec(head)
  if (sql) return sql[0].replace(/\s+/g, ' ')
  if (NAMED.test(head)) return withoutBody(head)
  if (head.charCodeAt(0) <= SPACE) return undefined
  return ASSIGNED.test(head) || CONSTANT.test(head) || MACRO.test(head) || (head.includes('(') && TYPED.test(head))
    ? withoutBody(head)
    : undefined
}

function withoutBody(head: string): string {
  return head
    .trim()
    .replace(/\s*(?:\{.*|=>?\s*[{(]?|:)$/, '')
    .trimEnd()
}

/** Whether a line that starts with white space has few enough of it to be a member's definition. */
function mayBeIndented(text: string, start: number): boolean {
  let at = start
  while (at - start <= MAX_INDENT && (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB)) at++
  return at > start && at - start <= MAX_INDENT && isWordStart(text.charCodeAt(at))
}

function isWordStart(code: number): boolean {
  const lower = code | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || code === 0x5f || code === 0x24 || code === AT || code === HASH || code > 0x7f
}
