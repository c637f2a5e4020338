/**
 * Schemas as Gemini's function declarations have them, a part of OpenAPI 3.0: every place has one type or `anyOf` and nothing beside it,
 * enums are of texts, null is `nullable`. https://ai.google.dev/api/caching#Schema
 */
import { ellipsize } from '../base/utf8.js'
import { asRecord } from '../protocol/messages.js'
import { intersection, requiredOf, typesOf, union, withoutAlternatives } from './combine-schemas.js'
import type { Lowerings } from './lowerings.js'
import type { SchemaNode } from './schema-places.js'

/** Made of positive schemas (see positive-schema). */
export class GeminiSchema {
  readonly #lowerings: Lowerings

  constructor(lowerings: Lowerings) {
    this.#lowerings = lowerings
  }

  /** `note`: what the root no longer says, in words. */
  root(schema: SchemaNode): { schema: SchemaNode; note: string } {
    const { description, ...rest } = this.#typed(schema, 'object', 0)
    const own = schema['description']
    const said = String(description ?? '')
    const note = (typeof own === 'string' ? said.slice(own.length) : said).replace(/^ \(|\)$/g, '')
    return { schema: { ...rest, ...(own !== undefined && { description: own }) }, note: note === '' ? '' : `${note}.` }
  }

  // --- internal ---

  #of(schema: SchemaNode, depth: number): SchemaNode {
    if (depth > MAX_DEPTH) {
      this.#lowerings.add('a deep place left open', `schemas may not be nested more than ${MAX_DEPTH} levels deep`)
      return typesOf(schema)?.[0] === 'object' ? OPEN_OBJECT : ANYTHING
    }
    const { anyOf, ...base } = schema
    if (!Array.isArray(anyOf)) return this.#plain(schema, depth)
    if (Object.hasOwn(base, 'properties')) {
      this.#lowerings.add('alternatives beside properties made one set of properties', 'anyOf stands alone there')
      return this.#of(withoutAlternatives(schema), depth)
    }
    const { title: _, description, default: __, ...constraints } = base
    const isBare = Object.keys(constraints).length === 0
    const branches = (anyOf as SchemaNode[]).map((branch) => (isBare ? branch : intersection(constraints, branch)))
    return described(anyOfThese(branches.map((branch) => this.#of(branch, depth + 1))), description)
  }

  /** One of a type, or one of each type that it may have. */
  #plain(schema: SchemaNode, depth: number): SchemaNode {
    const values = schema['enum']
    if (Array.isArray(values)) return this.#enumeration(schema, values)
    const named = typesOf(schema)
    if (!named && !Object.keys(schema).some((key) => TYPE_OF.has(key))) {
      if (Object.keys(schema).length > 0)
        this.#lowerings.add('any type written as anyOf of all', 'every schema must have a type')
      return described(ANYTHING, schema['description'])
    }
    const types = named ?? ALL_TYPES
    if (types.length === 1 && types[0] === 'null') return { type: 'string', nullable: true }
    const { description, ...rest } = schema
    const single = types.filter((type) => type !== 'null').length === 1
    if (!single) this.#lowerings.add('several types written as anyOf', 'a schema has one type')
    else if (types.length > 1) this.#lowerings.add('null written as nullable', 'a schema has one type')
    const variants = types.map((type) => {
      if (type === 'null') return NULL
      return single ? this.#typed(schema, type, depth) : this.#typed(rest, type, depth)
    })
    const made = anyOfThese(variants)
    return single ? made : described(made, description)
  }

  #typed(schema: SchemaNode, type: string, depth: number): SchemaNode {
    const kept = Object.entries(schema).filter(
      ([key, value]) => (KEPT[type] ?? COMMON).has(key) || (key === 'format' && isKeptFormat(type, value)),
    )
    const notes = this.#unsaid(schema, type)
    const made: Record<string, unknown> = { type, ...Object.fromEntries(kept) }
    if (type === 'object') Object.assign(made, this.#members(schema, notes, depth))
    if (type === 'array') made['items'] = this.#of(asRecord(schema['items']) ?? {}, depth + 1)
    if (schema['nullable'] === true) made['nullable'] = true
    for (const [strict, plain] of BOUNDS) {
      if (!(type === 'number' || type === 'integer') || typeof schema[strict] !== 'number') continue
      const bound = Number(schema[strict])
      const step = type === 'integer' ? (plain === 'minimum' ? Math.floor(bound) + 1 : Math.ceil(bound) - 1) : bound
      const said = made[plain]
      made[plain] = typeof said === 'number' ? (plain === 'minimum' ? Math.max(said, step) : Math.min(said, step)) : step
    }
    return withNotes(made, notes)
  }

  #members(schema: SchemaNode, notes: string[], depth: number): SchemaNode {
    const properties = Object.entries(asRecord(schema['properties']) ?? {})
    const names = new Set(properties.map(([name]) => name))
    const required = requiredOf(schema)
    const [known, unknown] = [required.filter((name) => names.has(name)), required.filter((name) => !names.has(name))]
    if (unknown.length > 0) {
      this.#lowerings.add('required names without a property left out', 'required names must be properties')
      notes.push(`also needs ${unknown.join(', ')}`)
    }
    return {
      ...(properties.length > 0 && {
        properties: Object.fromEntries(
          properties.map(([name, property]) => [name, this.#of(property as SchemaNode, depth + 1)]),
        ),
      }),
      ...(known.length > 0 && { required: known }),
    }
  }

  /** Takes down what is left out, and gives the part of it that is worth words. */
  #unsaid(schema: SchemaNode, type: string): string[] {
    const notes: string[] = []
    for (const [key, value] of Object.entries(schema)) {
      if (type === 'object' && (key === 'properties' || key === 'required')) continue
      if (type === 'array' && key === 'items') continue
      if (COMMON.has(key) || KEPT[type]?.has(key) || BESIDES.has(key)) continue
      const owner = TYPE_OF.get(key)
      if (owner !== undefined && owner !== type && !(owner === 'number' && type === 'integer')) continue
      if (EXCLUSIVE.has(key)) this.#lowerings.add(`${key} written as ${key === 'exclusiveMinimum' ? 'minimum' : 'maximum'}`)
      else this.#lowerings.add(`${key} left out`)
      const note = type === 'integer' && EXCLUSIVE.has(key) ? undefined : WORDS.get(key)?.(value)
      if (note) notes.push(note)
    }
    const { format } = schema
    if (type === 'string' && typeof format === 'string' && !isKeptFormat(type, format)) {
      this.#lowerings.add('format told of in the description', 'texts have the formats date-time and enum only')
      notes.push(format)
    }
    return notes
  }

  #enumeration(schema: SchemaNode, values: readonly unknown[]): SchemaNode {
    const { description, ...rest } = schema
    const texts = values.filter((value) => typeof value === 'string')
    const isSayable = texts.every((text) => text !== '') && values.every((value) => value === null || typeof value === 'string')
    if (isSayable && texts.length > 0) {
      const title = rest['title'] === undefined ? {} : { title: rest['title'] }
      const made = { type: 'string', ...title, ...fallbackOf(rest), enum: [...new Set(texts)] }
      const isNullable = values.includes(null) || schema['nullable'] === true
      return described({ ...made, ...(isNullable && { nullable: true }) }, description)
    }
    this.#lowerings.add('enum told of in the description', 'enums have non-empty texts only')
    const variants = [...new Set(values.map(typeOf))].map((type) => {
      if (type === 'null') return NULL
      return type === 'array' ? { type, items: SIMPLE } : { type }
    })
    const listed = `${values.length === 1 ? 'always' : 'one of'} ${values.map((value) => JSON.stringify(value)).join(', ')}`
    return withNotes(described(anyOfThese(variants), description), [listed])
  }
}

// --- internal ---

const MAX_DEPTH = 24
const MAX_NOTE = 100

const ALL_TYPES = ['string', 'number', 'boolean', 'object', 'array', 'null']
const NULL: SchemaNode = { type: 'null' }
const OPEN_OBJECT: SchemaNode = { type: 'object' }
const SIMPLE: SchemaNode = {
  anyOf: [{ type: 'string', nullable: true }, { type: 'number' }, { type: 'boolean' }, OPEN_OBJECT],
}
/** There is no schema for anything at all, and an array must say what its elements are. */
const ANYTHING: SchemaNode = {
  anyOf: [...(SIMPLE['anyOf'] as SchemaNode[]), { type: 'array', items: SIMPLE }],
}

const COMMON = new Set(['title', 'description', 'default'])
const KEPT: Readonly<Record<string, ReadonlySet<string>>> = {
  object: words('title description default minProperties maxProperties'),
  array: words('title description default minItems maxItems'),
  string: words('title description default minLength maxLength pattern'),
  number: words('title description default minimum maximum'),
  integer: words('title description default minimum maximum'),
  boolean: COMMON,
}
/** What is handled apart, or says nothing of one type alone. */
const BESIDES = new Set(['type', 'nullable', 'format', 'enum', 'anyOf'])
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time', 'enum'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}
const BOUNDS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const
const EXCLUSIVE = new Set(['exclusiveMinimum', 'exclusiveMaximum'])

/** Keywords that are about values of one type. */
const TYPE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries({
    object:
      'properties required patternProperties additionalProperties propertyNames minProperties maxProperties dependentRequired',
    array: 'items minItems maxItems uniqueItems',
    string: 'minLength maxLength pattern format contentEncoding contentMediaType',
    number: 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
  }).flatMap(([type, keywords]) => keywords.split(' ').map((keyword): [string, string] => [keyword, type])),
)

/** What is left out, in words. */
const WORDS: ReadonlyMap<string, (value: unknown) => string | undefined> = new Map<
  string,
  (value: unknown) => string | undefined
>([
  ['exclusiveMinimum', (value) => `above ${value}`],
  ['exclusiveMaximum', (value) => `below ${value}`],
  ['multipleOf', (value) => `a multiple of ${value}`],
  ['uniqueItems', (value) => (value === true ? 'no duplicates' : undefined)],
  ['additionalProperties', mapText],
  ['patternProperties', (value) => `keys like ${Object.keys(asRecord(value) ?? {}).join(', ')}`],
  ['contentEncoding', (value) => String(value)],
])

function isKeptFormat(type: string, format: unknown): boolean {
  return FORMATS[type]?.includes(String(format)) ?? false
}

function mapText(value: unknown): string | undefined {
  const schema = asRecord(value)
  if (!schema || Object.keys(schema).length === 0) return undefined
  const [type] = typesOf(schema) ?? []
  return type === undefined ? 'any keys' : `any keys, each with a value of type ${type}`
}

/** Variants of which null is none, but is taken by the first of the others. */
function anyOfThese(variants: readonly SchemaNode[]): SchemaNode {
  const all = union(variants)
  const each = Array.isArray(all['anyOf']) ? (all['anyOf'] as SchemaNode[]) : [all]
  const [first, ...others] = each.filter(({ type }) => type !== 'null')
  if (!first) return { type: 'string', nullable: true }
  const isNullable = others.length + 1 < each.length
  const lead = isNullable ? { ...first, nullable: true } : first
  return others.length === 0 ? lead : { anyOf: [lead, ...others] }
}

/** The description stands with the first alternative, since nothing may stand beside `anyOf`. */
function described(schema: SchemaNode, description: unknown): SchemaNode {
  if (typeof description !== 'string' || description === '') return schema
  const { anyOf } = schema
  if (!Array.isArray(anyOf)) return { ...schema, description: joined(description, schema['description']) }
  const [first, ...others] = anyOf as SchemaNode[]
  return { anyOf: [described(first ?? {}, description), ...others] }
}

function joined(description: string, own: unknown): string {
  return typeof own === 'string' && own !== description ? `${description} ${own}` : description
}

function withNotes(schema: SchemaNode, notes: readonly string[]): SchemaNode {
  if (notes.length === 0) return schema
  const note = ellipsize(notes.join('; '), MAX_NOTE)
  const { anyOf, description } = schema
  if (Array.isArray(anyOf)) {
    const [first, ...others] = anyOf as SchemaNode[]
    return { anyOf: [withNotes(first ?? {}, notes), ...others] }
  }
  return { ...schema, description: typeof description === 'string' ? `${description} (${note})` : note }
}

function fallbackOf(schema: SchemaNode): SchemaNode {
  return Object.hasOwn(schema, 'default') ? { default: schema['default'] } : {}
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}
