/** The arguments of the tool that calls any tool, however a model writes them. What it passes on stays to the byte. */
import { messageOf } from '../base/errors.js'
import { asBuffer } from '../protocol/frame.js'
import { applyEdits, findMember, insertMember, type Member, membersOf, removeMember, textOf } from '../protocol/json-spans.js'
import type { Parsed } from './own-tools.js'

export interface CallRequest {
  /** An exposed name, or a label of the catalog. */
  readonly name: string
  /** JSON text of an object. */
  readonly argumentsJson: string
}

/**
 * Arguments come as an object, as a JSON string (at most wrapped twice), or flat: `name` is always the tool, every other key an
 * argument. An `arguments` that is no object is an argument of that name, unless it was meant as one: it begins with a brace. Keys beside an `arguments` object are added to it.
 * @param json JSON text of the call's own arguments; they may be a JSON string too; undefined if there were none
 */
export function parseCallRequest(json: string | undefined, tool: string): Parsed<CallRequest> {
  const outer = objectText(json ?? '{}')
  if (outer === undefined) return { fault: `arguments: must be an object; write ${usage(tool)}` }
  const bytes = Buffer.from(outer, 'utf8')
  const name = valueAt(bytes, findMember(bytes, 0, 'name'))
  if (typeof name !== 'string' || name.trim() === '') {
    return { fault: `name: ${name === undefined ? 'is missing' : 'must be the name of a tool'}; write ${usage(tool)}` }
  }
  const inner = findMember(bytes, 0, 'arguments')
  const text = inner && textOf(bytes, inner)
  const nested = text === undefined || isBlank(text) ? undefined : objectText(text)
  const broken = nested === undefined && text !== undefined && brokenObject(text)
  if (broken) return { fault: `arguments: is the text of an object that is no JSON (${broken}); write ${usage(tool)}` }
  const isArguments = nested !== undefined || (text !== undefined && isBlank(text))
  const flat = without(bytes, ['name', ...(isArguments ? ['arguments'] : [])])
  return { ok: { name: name.trim(), argumentsJson: nested === undefined ? flat : withAdded(nested, flat) } }
}

// --- internal ---

const MAX_WRAPS = 2

function usage(tool: string): string {
  return `${tool}(name="<name of a tool>", arguments={...})`
}

/** The text of an object, taken out of the strings it is wrapped in. */
function objectText(json: string): string | undefined {
  let text = json.trim()
  for (let wraps = 0; wraps <= MAX_WRAPS; wraps++) {
    const value = parsed(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text
    if (typeof value !== 'string') return undefined
    text = value.trim()
  }
  return undefined
}

/** What is wrong with a string that was meant as an object; undefined for any other value. */
function brokenObject(json: string): string | undefined {
  const value = parsed(json)
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return undefined
  try {
    JSON.parse(value)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** `null`, and a string of nothing: no arguments. */
function isBlank(json: string): boolean {
  const value = parsed(json)
  return value === null || (typeof value === 'string' && value.trim() === '')
}

/** Members are taken out one at a time: two cuts beside each other would meet at the comma between them. */
function without(object: Uint8Array, keys: readonly string[]): string {
  let bytes = asBuffer(object)
  for (;;) {
    const member = membersOf(bytes).find(({ key }) => keys.includes(key))
    if (!member) return bytes.toString('utf8')
    bytes = applyEdits(bytes, [removeMember(bytes, member)])
  }
}

/** The members of `flat` that `nested` has not, in front of its own. */
function withAdded(nested: string, flat: string): string {
  const bytes = Buffer.from(nested, 'utf8')
  const extra = Buffer.from(flat, 'utf8')
  const has = new Set(membersOf(bytes).map(({ key }) => key))
  const added = membersOf(extra).filter(({ key }) => !has.has(key))
  if (added.length === 0) return nested
  const texts = added.map(({ whole }: Member) => textOf(extra, whole))
  return applyEdits(bytes, [insertMember(bytes, 0, texts.join(','))]).toString('utf8')
}

function valueAt(bytes: Uint8Array, span: { start: number; end: number } | undefined): unknown {
  return span && parsed(textOf(bytes, span))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
