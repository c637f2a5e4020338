/** The text of a configuration file as a JSON value: comments, trailing commas and a BOM are fine, duplicate keys are noted. */
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { messageOf, SluiceError } from '../base/errors.js'
import { isRecord, renderPath } from './option-schema.js'
import { showFound } from './values.js'

/** A configuration before anything of it was checked. */
export interface ConfigDocument {
  /** Where it came from, as it is told to people. */
  readonly origin: string
  readonly value: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
  /** Where a field stands: `file:line:column`. */
  locate(path: readonly PropertyKey[]): string
}

/** @throws CONFIG_SYNTAX with line and column; CONFIG_INVALID where the file holds no object */
export function parseDocument(origin: string, bytes: Uint8Array): ConfigDocument {
  const text = decodeText(origin, bytes)
  if (text.trim() === '')
    throw new SluiceError('CONFIG_SYNTAX', `${origin}:1:1: the file is empty; an object with "mcpServers" was expected`)
  const root = treeOf(origin, text)
  const duplicates: string[] = []
  const value = readNode(root, [], duplicates)
  if (!isRecord(value)) {
    throw new SluiceError('CONFIG_INVALID', `${origin} must hold an object with "mcpServers", found ${showFound(value, true)}`)
  }
  const notes = duplicates.map((path) => `${origin}: ${path} is there more than once; the last one counts`)
  return { origin, value, notes, locate: (path) => place(origin, text, nodeNear(root, path).offset) }
}

/** A configuration that stands in no file, such as the demo's. */
export function documentOf(origin: string, value: Readonly<Record<string, unknown>>): ConfigDocument {
  return { origin, value, notes: [], locate: () => origin }
}

/** UTF-8, or UTF-16 as the redirection of Windows PowerShell writes it; without its byte order mark. Throws CONFIG_SYNTAX. */
export function decodeText(origin: string, bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new SluiceError('CONFIG_SYNTAX', `${origin} is no text in UTF-8; save it in that encoding`, { cause })
  }
}

/** The bytes of a text in the encoding, and with the byte order mark, of what it was made from. */
export function encodeText(text: string, like: Uint8Array = new Uint8Array()): Uint8Array {
  if (like[0] === 0xff && like[1] === 0xfe) return Buffer.from(`\uFEFF${text}`, 'utf16le')
  const hasMark = like[0] === 0xef && like[1] === 0xbb && like[2] === 0xbf
  return Buffer.from(hasMark ? `\uFEFF${text}` : text)
}

// --- internal ---

type Path = readonly (string | number)[]

const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['InvalidSymbol', 'a value, a name in double quotes, or the end was expected'],
  ['InvalidNumberFormat', 'a number was expected'],
  ['PropertyNameExpected', 'a name in double quotes was expected'],
  ['ValueExpected', 'a value was expected'],
  ['ColonExpected', 'a colon was expected'],
  ['CommaExpected', 'a comma or the closing bracket was expected'],
  ['CloseBraceExpected', 'a closing } was expected'],
  ['CloseBracketExpected', 'a closing ] was expected'],
  ['EndOfFileExpected', 'the end of the file was expected'],
  ['UnexpectedEndOfComment', 'the end of the comment, */, was expected'],
  ['UnexpectedEndOfString', 'a closing " was expected on the same line'],
  ['UnexpectedEndOfNumber', 'more digits were expected'],
  ['InvalidUnicode', 'four hex digits were expected after \\u'],
  ['InvalidEscapeCharacter', 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u was expected'],
  ['InvalidCharacter', 'an escape such as \\n was expected in place of a control character'],
])

function treeOf(origin: string, text: string): Node {
  const errors: ParseError[] = []
  const root = parse(origin, text, errors)
  const [first] = errors
  if (root !== undefined && first === undefined) return root
  const expected = first === undefined ? undefined : EXPECTED.get(printParseErrorCode(first.error))
  const at = place(origin, text, Math.min(first?.offset ?? 0, text.trimEnd().length))
  throw new SluiceError('CONFIG_SYNTAX', `${at}: ${expected ?? 'a JSON value was expected'}`)
}

/** The parser recurses, so a file of a hundred thousand brackets ends its stack. */
function parse(origin: string, text: string, errors: ParseError[]): Node | undefined {
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true })
    if (root !== undefined && depthOf(root) > MAX_DEPTH) throw new RangeError(`deeper than ${MAX_DEPTH} levels`)
    return root
  } catch (cause) {
    throw new SluiceError('CONFIG_SYNTAX', `${origin} is nested too deeply: ${messageOf(cause)}`, { cause })
  }
}

const MAX_DEPTH = 100

function depthOf(root: Node): number {
  let level: readonly Node[] = [root]
  let depth = 0
  while (level.length > 0) {
    level = level.flatMap((node) => (node.type === 'property' ? (node.children?.slice(1) ?? []) : (node.children ?? [])))
    depth++
  }
  return depth
}

function place(origin: string, text: string, offset: number): string {
  const before = text.slice(0, offset)
  const lines = before.split(/\r\n|\r|\n/)
  return `${origin}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
}

/** The node at a path, or the deepest one above it that exists. A member's node is its name's. */
function nodeNear(root: Node, path: readonly PropertyKey[]): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length) as (string | number)[])
    if (node !== undefined) return node.parent?.type === 'property' ? node.parent : node
  }
  return root
}

/** Own code, since the parser's would set the prototype for a key `__proto__`. */
function readNode(node: Node, path: Path, duplicates: string[]): unknown {
  if (node.type === 'array') return node.children?.map((item, index) => readNode(item, [...path, index], duplicates)) ?? []
  if (node.type !== 'object') return node.value
  const members = new Map<string, unknown>()
  for (const { children } of node.children ?? []) {
    const [key, value] = children ?? []
    if (key === undefined || value === undefined) continue
    const name = String(key.value)
    if (members.has(name)) duplicates.push(renderPath([...path, name]))
    members.set(name, readNode(value, [...path, name], duplicates))
  }
  return Object.fromEntries(members)
}
