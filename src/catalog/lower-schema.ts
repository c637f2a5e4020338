/** Lowers a tool's input schema to what an LLM API takes. */
import { ellipsize } from '../base/utf8.js'
import type { SchemaDialect } from '../protocol/catalog-api.js'
import { asRecord } from '../protocol/messages.js'
import { alternativesText, requiredOf, withoutAlternatives } from './combine-schemas.js'
import { GeminiSchema } from './gemini-schema.js'
import { Lowerings } from './lowerings.js'
import { positiveForm } from './positive-schema.js'
import type { ToolRepair } from './repair-tool.js'
import { placeOf, type SchemaNode, walkSchemas } from './schema-places.js'

export interface LoweredSchema {
  /** `schema` itself where nothing was done. */
  readonly schema: SchemaNode
  /** What the schema as a whole no longer says, in words for the tool's description; may be empty. */
  readonly note: string
  readonly lowered: readonly ToolRepair[]
}

/**
 * Accepts at least what `schema` accepts, which must be of type object and without faults (see repair-tool). One exception: an array in
 * an untyped place is listed for `gemini` as one of plain values, since that API has no schema for anything at all.
 */
export function lowerSchema(schema: SchemaNode, dialect: SchemaDialect): LoweredSchema {
  if (dialect === 'none') return { schema, note: '', lowered: [] }
  const lowerings = new Lowerings(dialect === 'gemini' ? NOT_GEMINI : MOVED)
  const { schema: lowered, note } =
    dialect === 'gemini' ? geminiSchema(schema, lowerings) : plainSchema(schema, RULES[dialect], lowerings)
  const isSame = JSON.stringify(lowered) === JSON.stringify(schema)
  return isSame ? { schema, note: '', lowered: [] } : { schema: lowered, note, lowered: lowerings.all() }
}

// --- internal ---

/** What an API refuses, beside what no validator of 2020-12 takes. */
interface Rules {
  /** Keywords that may not stand at the root. */
  readonly root: readonly string[]
  /** What the names of the root's properties must match. */
  readonly names?: RegExp
  /** Arrays say what their elements are, the root which properties it has, and patterns are also Python's. */
  readonly complete: boolean
}

const NOT_GEMINI = "Gemini's API has no such keyword"
const MOVED = 'other parts of the schema had to move'
const COMBINATORS = ['anyOf', 'oneOf', 'allOf']
const CLAUDE: Rules = { root: [...COMBINATORS, '$ref'], names: /^[a-zA-Z0-9_.-]{1,64}$/, complete: false }
const OPENAI: Rules = { root: [...COMBINATORS, '$ref', 'enum', 'const', 'not'], complete: true }
const RULES = { claude: CLAUDE, openai: OPENAI, common: { ...CLAUDE, ...OPENAI } } as const

/** What JavaScript's regular expressions have and Python's have not. */
const NOT_PYTHON = /\\[pPkc]|\\u\{|\(\?<[A-Za-z_$]/
const MAX_NOTE = 160

type Noted = Pick<LoweredSchema, 'schema' | 'note'>

function geminiSchema(schema: SchemaNode, lowerings: Lowerings): Noted {
  const positive = positiveForm(schema, lowerings)
  const { root, note } = rootOf(positive, lowerings)
  const gemini = new GeminiSchema(lowerings).root(root)
  return { schema: gemini.schema, note: joined([note, gemini.note]) }
}

/** The schema with its wording, as long as nothing in it must move: references would lead astray. */
function plainSchema(schema: SchemaNode, rules: Rules, lowerings: Lowerings): Noted {
  if (!mustMove(schema, rules)) return { schema: completed(schema, rules, lowerings), note: '' }
  const { root, note } = rootOf(positiveForm(schema, lowerings), lowerings)
  const allowed = withoutRootKeywords(root, rules, lowerings)
  const named = withLegalNames(allowed, rules, lowerings)
  return {
    schema: completed(withoutPatterns(named.schema, rules, lowerings), rules, lowerings),
    note: joined([note, named.note]),
  }
}

function mustMove(schema: SchemaNode, { root, names, complete }: Rules): boolean {
  const properties = Object.keys(asRecord(schema['properties']) ?? {})
  if (root.some((key) => Object.hasOwn(schema, key)) || properties.some((name) => names?.test(name) === false)) return true
  let found = false
  walkSchemas(schema, '', ({ items, pattern }) => {
    found ||= Array.isArray(items) || (complete && isForeignPattern(pattern))
  })
  return found
}

function isForeignPattern(pattern: unknown): boolean {
  return typeof pattern === 'string' && NOT_PYTHON.test(pattern)
}

/** Without alternatives at the root; what they asked for goes into the note. */
function rootOf(schema: SchemaNode, lowerings: Lowerings): { root: SchemaNode; note: string } {
  if (!Object.hasOwn(schema, 'anyOf')) return { root: schema, note: '' }
  lowerings.add('alternatives at the root made one set of properties', 'the root must be one plain object')
  const needs = alternativesText(schema)
  return { root: withoutAlternatives(schema), note: needs === '' ? '' : `Needs ${needs}.` }
}

function withoutRootKeywords(schema: SchemaNode, { root }: Rules, lowerings: Lowerings): SchemaNode {
  const left = root.filter((key) => Object.hasOwn(schema, key))
  for (const key of left) lowerings.add(`${key} of the root left out`, 'the root must be one plain object')
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !left.includes(key)))
}

/** A property whose name is refused is told of in words; it can still be sent. */
function withLegalNames(schema: SchemaNode, { names }: Rules, lowerings: Lowerings): Noted {
  const properties = Object.entries(asRecord(schema['properties']) ?? {})
  const illegal = properties.filter(([name]) => names?.test(name) === false)
  if (illegal.length === 0) return { schema, note: '' }
  for (const [name] of illegal) {
    lowerings.add(`property ${JSON.stringify(name)} told of in the description`, `names must match ${names?.source}`)
  }
  const gone = new Set(illegal.map(([name]) => name))
  const { additionalProperties, required, ...rest } = schema
  const needed = requiredOf({ required }).filter((name) => !gone.has(name))
  const told = illegal.map(([name, property]) => `"${name}"${typeText(asRecord(property))}`)
  return {
    schema: {
      ...rest,
      properties: Object.fromEntries(properties.filter(([name]) => !gone.has(name))),
      ...(needed.length > 0 && { required: needed }),
    },
    note: `Also takes ${told.join(', ')}.`,
  }
}

function typeText(schema: SchemaNode | undefined): string {
  return typeof schema?.['type'] === 'string' ? ` (${schema['type']})` : ''
}

function withoutPatterns(schema: SchemaNode, { complete }: Rules, lowerings: Lowerings): SchemaNode {
  if (!complete) return schema
  return mapped(schema, (node) => {
    if (!isForeignPattern(node['pattern'])) return node
    lowerings.add('pattern left out', 'it is no regular expression of Python')
    return Object.fromEntries(Object.entries(node).filter(([key]) => key !== 'pattern'))
  })
}

/** What is added says nothing new. */
function completed(schema: SchemaNode, { complete }: Rules, lowerings: Lowerings): SchemaNode {
  if (!complete) return schema
  const whole = mapped(schema, (node) => {
    const { type } = node
    if (Object.hasOwn(node, 'items') || !(type === 'array' || (Array.isArray(type) && type.includes('array')))) return node
    lowerings.add('items added to an array', 'arrays must say what their elements are')
    return { ...node, items: {} }
  })
  if (asRecord(whole['properties'])) return whole
  lowerings.add('properties added to the root', 'the root must say which properties it has')
  return { ...whole, properties: {} }
}

/** A copy in which every schema is what `change` makes of it; the same objects where it changes nothing. */
function mapped(schema: SchemaNode, change: (node: SchemaNode) => SchemaNode): SchemaNode {
  let isNew = false
  const inner = (value: unknown): unknown => {
    const node = asRecord(value)
    const made = node ? mapped(node, change) : value
    isNew ||= made !== value
    return made
  }
  const members = Object.entries(schema).map(([key, value]): [string, unknown] => {
    const place = placeOf(key, value)
    if (place === 'data') return [key, value]
    if (place === 'schema') return [key, inner(value)]
    if (place === 'list') return [key, (value as unknown[]).map(inner)]
    return [key, Object.fromEntries(Object.entries(value as object).map(([name, entry]) => [name, inner(entry)]))]
  })
  return change(isNew ? Object.fromEntries(members) : schema)
}

function joined(notes: readonly string[]): string {
  const text = notes.filter((note) => note !== '').join(' ')
  return ellipsize(text, MAX_NOTE)
}
