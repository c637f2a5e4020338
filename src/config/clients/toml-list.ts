/** Servers in a TOML file: tables under one key. Whole-line comments stay, whatever is taken out around them. */
import { parse, stringify } from 'smol-toml'
import type { AddedMember, MemberEdit } from '../json-members.js'
import { isRecord, valueAt } from '../option-schema.js'
import type { ServerListFormat } from './server-list.js'
import { type TomlStatement, tomlStatements } from './toml-statements.js'

export const tomlList: ServerListFormat = {
  edit(text, list, { remove, add }) {
    const statements = tomlStatements(text)
    const inline = statements.find((one) => one.kind === 'pair' && isUnder(list, one.path))
    const edit = inline === undefined ? { remove, add } : outOfLine(text, list, { remove, add })
    const gone = statements.filter((one) => one === inline || edit.remove.some((name) => isUnder(one.path, [...list, name])))
    const added = edit.add.map((server) => ownLineEnds(text, textFor(list, server))).join(lineBreak(text))
    const place = added === '' ? undefined : placeFor(statements, gone)
    return rebuilt(text, gone, { added, place })
  },
  textOf(text, list, name) {
    const own = tomlStatements(text).filter(({ path }) => isUnder(path, [...list, name]))
    return own[0]?.kind === 'header' ? own.map(({ start, end }) => text.slice(start, end)).join('') : undefined
  },
}

// --- internal ---

interface Addition {
  readonly added: string
  /** Offset; undefined: the end. */
  readonly place: number | undefined
}

function isUnder(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((key, index) => path[index] === key)
}

/** Where all servers stand in one inline table, that goes, and those that stay get tables of their own. */
function outOfLine(text: string, list: readonly string[], { remove, add }: MemberEdit): MemberEdit {
  const servers = valueAt(parse(text), list)
  const stay = Object.entries(isRecord(servers) ? servers : {}).filter(([name]) => !remove.includes(name))
  const kept = stay.map(([name, value]): AddedMember => ({ name, value: isRecord(value) ? value : {} }))
  return { remove, add: [...kept, ...add] }
}

function textFor(list: readonly string[], { name, value, text }: AddedMember): string {
  return text ?? stringify(list.reduceRight<Record<string, unknown>>((inner, key) => ({ [key]: inner }), { [name]: value }))
}

/** A header may stand where tables were that are gone; behind other lines it would take what follows for its own. */
function placeFor(statements: readonly TomlStatement[], gone: readonly TomlStatement[]): number | undefined {
  const [first] = gone
  if (first?.kind !== 'header') return undefined
  const next = statements.find((one) => one.start > first.start && !gone.includes(one))
  return next === undefined || next.kind === 'header' ? first.start : undefined
}

function rebuilt(text: string, gone: readonly TomlStatement[], { added, place }: Addition): string {
  let result = ''
  let at = 0
  for (const { start, end } of gone) {
    result = at === 0 ? text.slice(0, start) : seam(result, text.slice(at, start))
    if (start === place) result += added
    at = end
  }
  result = gone.length === 0 ? text : seam(result, text.slice(at))
  if (added === '' || place !== undefined) return result
  const br = lineBreak(text)
  const gap = result === '' || result.endsWith(br + br) ? '' : result.endsWith(br) ? br : br + br
  return result + gap + added
}

/** Joins what was apart, with at most one empty line between. */
function seam(before: string, after: string): string {
  return /(?:^|\n)\r?\n$|^$/.test(before) ? before + after.replace(/^(?:\r?\n)+/, '') : before + after
}

function lineBreak(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

function ownLineEnds(text: string, added: string): string {
  return `${added.trimEnd()}\n`.replace(/\r?\n/g, lineBreak(text))
}
