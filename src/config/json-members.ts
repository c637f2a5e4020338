/** Members of an object in a JSON text with comments. Comments between them stay, whatever is taken out around them. */
import { createScanner, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'

export interface AddedMember {
  readonly name: string
  readonly value: unknown
  /** The value as it is to be written, from a text of the same format; else it is made from the value. */
  readonly text?: string | undefined
}

export interface MemberEdit {
  /** Names of members to take out; those that are not there are passed over. */
  readonly remove: readonly string[]
  /** Goes where the first of those was, else behind the last member. None of the names may stay there. */
  readonly add: readonly AddedMember[]
}

/**
 * The text with the members of one of its objects changed, and nothing else: comments, order, indentation and line ends stay. Objects
 * on the way that are not there are made, an empty text included. The text must be valid.
 */
export function editMembers(written: string, path: readonly string[], edit: MemberEdit): string {
  const text = written.trim() === '' ? '{}\n' : written
  const object = nodeAt(text, path)
  if (object !== undefined) return editObject(text, object, edit)
  const name = path.at(-1)
  if (edit.add.length === 0 || name === undefined) return written
  const made = editMembers(text, path.slice(0, -1), { remove: [name], add: [{ name, value: {} }] })
  return editObject(made, nodeAt(made, path) as Node, edit)
}

/** A member's value as it stands in the text. */
export function memberText(text: string, path: readonly string[], name: string): string | undefined {
  const value = nodeAt(text, [...path, name])
  return value && text.slice(value.offset, value.offset + value.length)
}

/** Whether an object has neither members nor comments in it. */
export function isBare(text: string, path: readonly string[]): boolean {
  const object = nodeAt(text, path)
  return object?.type === 'object' && /^\{\s*\}$/.test(text.slice(object.offset, object.offset + object.length))
}

// --- internal ---

interface Span {
  readonly start: number
  readonly end: number
}

interface Change extends Span {
  readonly text: string
}

interface Members {
  /** The properties in their order. */
  readonly properties: readonly Node[]
  /** Offset of the comma behind each; the last has none, unless it is a trailing one. */
  readonly commas: readonly (number | undefined)[]
}

function nodeAt(text: string, path: readonly string[]): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true })
  return root && findNodeAtLocation(root, [...path])
}

function editObject(text: string, object: Node, { remove, add }: MemberEdit): string {
  const { properties, commas } = membersOf(text, object)
  const gone = properties.flatMap((property, index) => (remove.includes(nameOf(property)) ? [index] : []))
  const [first] = gone
  const place = first === undefined ? undefined : properties[first]
  const changes: Change[] = []
  if (add.length > 0 && place !== undefined) {
    changes.push({ ...spanOf(place), text: rendered(text, add, lineIndent(text, place.offset)) })
  }
  const taken = add.length > 0 ? gone.slice(1) : gone
  for (const index of taken) changes.push(...removal(text, properties[index] as Node, commas[index]))
  const last = properties.findLastIndex((_, index) => !taken.includes(index))
  const comma = commas[last]
  if (last !== properties.length - 1 && comma !== undefined && commas.at(-1) === undefined) {
    changes.push({ start: comma, end: comma + 1, text: '' })
  }
  if (add.length > 0 && place === undefined) changes.push(...insertion(text, object, { properties, commas }, add))
  return withChanges(text, changes)
}

function nameOf(property: Node): string {
  return String(property.children?.[0]?.value)
}

function spanOf({ offset, length }: Node): Span {
  return { start: offset, end: offset + length }
}

function membersOf(text: string, object: Node): Members {
  const properties = object.children ?? []
  const end = object.offset + object.length - 1
  const commas = properties.map((property, index) => {
    const scanner = createScanner(text)
    const limit = properties[index + 1]?.offset ?? end
    scanner.setPosition(property.offset + property.length)
    while (scanner.getPosition() < limit) {
      scanner.scan()
      if (text[scanner.getTokenOffset()] === ',') return scanner.getTokenOffset()
    }
    return undefined
  })
  return { properties, commas }
}

/** A member and its comma; the whole line where nothing else stands on it. */
function removal(text: string, property: Node, comma: number | undefined): Change[] {
  const { start, end } = spanOf(property)
  if (comma === undefined) return [wholeLines(text, { start, end })]
  if (text.slice(end, comma).trim() === '') return [wholeLines(text, { start, end: comma + 1 })]
  return [
    { start, end, text: '' },
    { start: comma, end: comma + 1, text: '' },
  ]
}

function wholeLines(text: string, { start, end }: Span): Change {
  const before = /(?:^|\n)[ \t]*$/.exec(text.slice(0, start))
  const after = /^[ \t]*\r?\n/.exec(text.slice(end))
  if (before === null || after === null) return { start, end, text: '' }
  const lineStart = before.index + (before[0].startsWith('\n') ? 1 : 0)
  return { start: lineStart, end: end + after[0].length, text: '' }
}

/** Behind the last member, or inside the empty braces. */
function insertion(text: string, object: Node, { properties, commas }: Members, add: readonly AddedMember[]): Change[] {
  const br = lineBreakOf(text)
  const last = properties.at(-1)
  if (last === undefined) {
    const outer = lineIndent(text, object.offset)
    const close = object.offset + object.length - 1
    const inside = text.slice(object.offset + 1, close)
    // Comments that stand alone between the braces stay in front.
    const start = object.offset + 1 + inside.trimEnd().length
    if (outer === undefined) return [{ start, end: close, text: ` ${rendered(text, add, undefined)} ` }]
    const inner = outer + indentOf(text)
    return [{ start, end: close, text: `${br}${inner}${rendered(text, add, inner)}${br}${outer}` }]
  }
  const { end } = spanOf(last)
  const indent = lineIndent(text, last.offset)
  const gap = indent === undefined ? ' ' : br + indent
  const comma = commas.at(-1)
  const behind = comma === undefined ? end : comma + 1
  const at = behind + (indent === undefined ? 0 : (REST_OF_LINE.exec(text.slice(behind))?.[0].length ?? 0))
  const body = gap + rendered(text, add, indent)
  if (comma !== undefined) return [{ start: at, end: at, text: `${body},` }]
  return [
    { start: at, end: at, text: body },
    { start: end, end, text: ',' },
  ]
}

/** A comment behind a member belongs to it. */
const REST_OF_LINE = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)(?=\r?\n)/

/** The indentation of a member that begins its line; undefined for one that does not. */
function lineIndent(text: string, offset: number): string | undefined {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^\s*$/.test(line) || /^\s*"(?:[^"\\]|\\.)*"\s*:\s*$/.test(line) ? (/^\s*/.exec(line)?.[0] ?? '') : undefined
}

/** Members in the file's own indentation, or on one line where the file has them so. */
function rendered(text: string, servers: readonly AddedMember[], indent: string | undefined): string {
  const br = lineBreakOf(text)
  const members = servers.map((server) => {
    const value = server.text ?? JSON.stringify(server.value, null, indent === undefined ? undefined : indentOf(text))
    return `${JSON.stringify(server.name)}: ${server.text === undefined ? value.replaceAll('\n', br + (indent ?? '')) : value}`
  })
  return members.join(indent === undefined ? ', ' : `,${br}${indent}`)
}

function withChanges(text: string, changes: readonly Change[]): string {
  return [...changes]
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((result, { start, end, text: put }) => result.slice(0, start) + put + result.slice(end), text)
}

/** What one level is indented by: that of the first indented line, two spaces where there is none. */
function indentOf(text: string): string {
  return /\n([ \t]+)(?=["/])/.exec(text)?.[1] ?? '  '
}

function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}
