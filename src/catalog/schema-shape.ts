/** What a JSON schema says of a value, for showing and searching: references resolved, alternatives taken together. Validates nothing. */
import { asRecord } from '../protocol/messages.js'
import type { Fields } from './shape-entry.js'

export interface SchemaShape {
  /** The schemas that say it, in the order they were met. */
  readonly sources: ReadonlySet<Fields>
  /** `string`, `object`, `integer[]`, `"open"`: each once. */
  readonly types: readonly string[]
  readonly description: string
  readonly members: ReadonlyMap<string, SchemaMember>
  /** Of an array's elements, or of the values of an object with any keys. */
  readonly inner: readonly unknown[]
}

export interface SchemaMember {
  readonly schema: unknown
  readonly required: boolean
}

/** The shape of `schema`, a part of `root`. */
export function shapeOf(schema: unknown, root: unknown): SchemaShape {
  const shape = {
    sources: new Set<Fields>(),
    types: new Set<string>(),
    description: '',
    members: new Map<string, SchemaMember>(),
    inner: [] as unknown[],
  }
  const visit = (part: unknown): void => {
    const fields = asRecord(part)
    if (!fields || shape.sources.has(fields) || shape.sources.size === MAX_SOURCES) return
    shape.sources.add(fields)
    for (const type of typesOf(fields, root)) shape.types.add(type)
    // A description beside a reference is nearer than that of what it refers to.
    if (shape.description === '') shape.description = textIn(fields, 'description')
    for (const [key, member] of membersIn(fields)) if (!shape.members.has(key)) shape.members.set(key, member)
    shape.inner.push(...innerOf(fields))
    visit(target(fields['$ref'], root))
    for (const keyword of COMBINATORS) for (const variant of listIn(fields, keyword)) visit(variant)
  }
  visit(schema)
  return { ...shape, types: [...shape.types] }
}

// --- internal ---

/** Stands against schemas made to be endless. */
const MAX_SOURCES = 200
const MAX_REFERENCE_STEPS = 64
const COMBINATORS = ['allOf', 'anyOf', 'oneOf'] as const
const SHOWN_VALUES = 8
const VALUE_CHARS = 40

function textIn(fields: Fields, key: string): string {
  const value = fields[key]
  return typeof value === 'string' ? value : ''
}

function listIn(fields: Fields, key: string): readonly unknown[] {
  const value = fields[key]
  return Array.isArray(value) ? value : []
}

function membersIn(fields: Fields): [string, SchemaMember][] {
  const required = new Set(listIn(fields, 'required'))
  const properties = asRecord(fields['properties']) ?? {}
  return Object.entries(properties).map(([key, schema]) => [key, { schema, required: required.has(key) }])
}

function innerOf(fields: Fields): unknown[] {
  const { items, prefixItems, additionalProperties, patternProperties } = fields
  const patterns = Object.values(asRecord(patternProperties) ?? {})
  return [items, prefixItems, additionalProperties, patterns].flat().filter((inner) => asRecord(inner))
}

function typesOf(fields: Fields, root: unknown): string[] {
  if (Object.hasOwn(fields, 'const')) return [valueText(fields['const'])]
  const values = listIn(fields, 'enum')
  if (values.length > 0) {
    const more = values.length - SHOWN_VALUES
    return [...values.slice(0, SHOWN_VALUES).map(valueText), ...(more > 0 ? [`… ${more} more`] : [])]
  }
  const named = [fields['type']].flat().filter((type): type is string => typeof type === 'string')
  if (named.length === 0 && asRecord(fields['properties'])) return ['object']
  return named.map((type) => (type === 'array' ? arrayType(fields['items'], root) : type))
}

/** `string[]` where the elements are of one plain type. */
function arrayType(items: unknown, root: unknown): string {
  const fields = asRecord(items)
  const { type, properties } = asRecord(target(fields?.['$ref'], root)) ?? fields ?? {}
  if (typeof type === 'string' && type !== 'array') return `${type}[]`
  return properties ? 'object[]' : 'array'
}

function valueText(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? '{…}' : (JSON.stringify(value) ?? 'null')
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}…` : text
}

/** What a local reference (`#/$defs/x`) points at; undefined for others. A chain of references is followed by the caller. */
function target(ref: unknown, root: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined
  const steps = ref.slice(1).split('/').slice(1, MAX_REFERENCE_STEPS)
  let at: unknown = root
  for (const step of steps) {
    const key = pointerKey(step)
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Fields)[key]
  }
  return at
}

function pointerKey(step: string): string {
  return decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step // a percent sign that stands for itself
  }
}
