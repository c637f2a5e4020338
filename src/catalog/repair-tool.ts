/** Repairs a tool that a client or an LLM API would refuse, and the whole list with it. */
import { ellipsize } from '../base/utf8.js'
import { asRecord } from '../protocol/messages.js'
import { type Fault, findBadPattern, findFaults } from './schema-faults.js'
import { MAX_SCHEMA_DEPTH } from './schema-places.js'

type Tool = Readonly<Record<string, unknown>>

export interface ToolRepair {
  /** What was done: "outputSchema left out". */
  readonly what: string
  /** What was wrong, and where. */
  readonly why: string
}

export interface RepairedTool {
  /** `tool` itself where nothing was done. */
  readonly tool: Tool
  readonly repairs: readonly ToolRepair[]
}

/**
 * An inputSchema is mended so that it accepts no less than before, or opened altogether; an outputSchema with a fault is left out, since
 * clients check answers against it; a member of another type than the protocol has is left out.
 */
export function repairTool(tool: Tool): RepairedTool {
  const repairs: ToolRepair[] = []
  const entries: [string, unknown][] = []
  for (const [key, value] of Object.entries(tool)) {
    const mended =
      key === 'inputSchema' ? mendedInput(value, repairs) : key === 'annotations' ? mendedHints(value, repairs) : value
    const why = faultOf(key, mended)
    if (why) repairs.push({ what: `${key} left out`, why })
    else entries.push([key, mended])
  }
  if (!Object.hasOwn(tool, 'inputSchema')) entries.push(['inputSchema', mendedInput(undefined, repairs)])
  return { tool: repairs.length === 0 ? tool : Object.fromEntries(entries), repairs: repairs.map(shortened) }
}

// --- internal ---

const MOST_CHARS = 300
const OPEN = { type: 'object' } as const

const MEMBERS: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  title: [(value) => typeof value === 'string', 'a string'],
  description: [(value) => typeof value === 'string', 'a string'],
  annotations: [isRecord, 'an object'],
  execution: [isRecord, 'an object'],
  _meta: [isRecord, 'an object'],
  icons: [Array.isArray, 'an array'],
}

/** Why a member must go, or undefined. */
function faultOf(key: string, value: unknown): string | undefined {
  if (key === 'outputSchema') return outputFault(value)
  const wanted = Object.hasOwn(MEMBERS, key) ? MEMBERS[key] : undefined
  return wanted && !wanted[0](value) ? `it is ${nounOf(value)}, not ${wanted[1]}` : undefined
}

function outputFault(schema: unknown): string | undefined {
  const root = asRecord(schema)
  if (!root) return `it is ${nounOf(schema)}, not an object`
  if (isDeeper(root, MAX_SCHEMA_DEPTH)) return DEEP
  if (root['type'] !== 'object') return `its type is ${printed(root['type'])}, not "object"`
  const pattern = findBadPattern(root)
  const [fault] = [...findFaults(root), ...booleanProperties(root)]
  return fault?.why ?? (pattern === undefined ? undefined : `pattern ${JSON.stringify(pattern)} is no regular expression`)
}

const DEEP = `it is nested more than ${MAX_SCHEMA_DEPTH} levels deep`

function mendedInput(schema: unknown, repairs: ToolRepair[]): unknown {
  const root = asRecord(schema)
  const open = (why: string) => {
    repairs.push({ what: 'inputSchema replaced by one that accepts any object', why })
    return OPEN
  }
  if (!root) return open(schema === undefined ? 'it is missing' : `it is ${nounOf(schema)}, not an object`)
  if (isDeeper(root, MAX_SCHEMA_DEPTH)) return open(DEEP)
  const type = root['type']
  const mayBeObject = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
  if (!mayBeObject) return open(`its type is ${printed(type)}, not "object"`)
  const faults = [...findFaults(root), ...booleanProperties(root)]
  for (const { key, instead, why } of faults) {
    repairs.push({ what: `inputSchema: ${key} ${instead === undefined ? 'left out' : `replaced by ${printed(instead)}`}`, why })
  }
  const mended = (faults.length === 0 ? root : withoutFaults(root, faults)) as Tool
  if (type === 'object') return mended
  repairs.push({ what: 'inputSchema: type set to "object"', why: `its type is ${printed(type)}` })
  return Object.hasOwn(mended, 'type') ? { ...mended, type: 'object' } : { type: 'object', ...mended }
}

/** The SDK's clients take no boolean as a property of the root. */
function booleanProperties(root: Tool): Fault[] {
  const properties = asRecord(root['properties']) ?? {}
  return Object.entries(properties)
    .filter(([, schema]) => typeof schema === 'boolean')
    .map(([key, schema]) => ({
      node: properties,
      key,
      instead: schema ? {} : { not: {} },
      why: `${key} in properties of the root is ${schema}, where clients want an object`,
    }))
}

/** A copy of `root` with its faults mended. */
function withoutFaults(root: object, faults: readonly Fault[]): unknown {
  const byNode = new Map<unknown, Map<string, Fault>>()
  for (const fault of faults) byNode.set(fault.node, (byNode.get(fault.node) ?? new Map()).set(fault.key, fault))
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const own = byNode.get(value)
    const kept = Object.entries(value)
      .map(([key, child]): [string, unknown] => [key, own?.has(key) ? own.get(key)?.instead : copy(child)])
      .filter(([, child]) => child !== undefined)
    return Array.isArray(value) ? kept.map(([, child]) => child) : Object.fromEntries(kept)
  }
  return copy(root)
}

/** The hints of the wrong type left out of the annotations. */
function mendedHints(annotations: unknown, repairs: ToolRepair[]): unknown {
  const record = asRecord(annotations)
  if (!record) return annotations
  const wrong = (key: string, value: unknown) =>
    key === 'title' ? typeof value !== 'string' : /Hint$/.test(key) && typeof value !== 'boolean'
  const bad = Object.entries(record).filter(([key, value]) => wrong(key, value))
  if (bad.length === 0) return annotations
  const names = bad.map(([key]) => key).join(', ')
  repairs.push({
    what: `annotations: ${names} left out`,
    why: bad.map(([key, value]) => `${key} is ${nounOf(value)}`).join(', '),
  })
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => !wrong(key, value)))
}

/** Whether objects and arrays are nested deeper than `most`; takes no stack. */
function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}

/** What a server writes may be long. */
function shortened({ what, why }: ToolRepair): ToolRepair {
  return { what: ellipsize(what, MOST_CHARS), why: ellipsize(why, MOST_CHARS) }
}

function isRecord(value: unknown): boolean {
  return asRecord(value) !== undefined
}

function nounOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function printed(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value)
}
