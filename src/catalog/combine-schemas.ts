/** Schemas taken together, all of them positive (see positive-schema); results may accept more than they should, never less. */
import { asRecord } from '../protocol/messages.js'
import type { SchemaNode } from './schema-places.js'

/** Accepts what both accept. Where a keyword of both cannot be said in one, the first one's stays. */
export function intersection(one: SchemaNode, other: SchemaNode): SchemaNode {
  const entries = new Map(Object.entries(one))
  for (const [key, value] of Object.entries(other)) {
    const before = entries.get(key)
    entries.set(key, entries.has(key) ? (BOTH.get(key)?.(before, value) ?? before) : value)
  }
  return Object.fromEntries(entries)
}

/** Accepts what any of them accepts. */
export function union(schemas: readonly SchemaNode[]): SchemaNode {
  const flat = schemas.flatMap((schema) => {
    const { anyOf, ...rest } = schema
    return Array.isArray(anyOf) && Object.keys(rest).length === 0 ? (anyOf as SchemaNode[]) : [schema]
  })
  const distinct = [...new Map(flat.map((schema) => [JSON.stringify(schema), schema])).values()]
  const [only, ...others] = distinct
  if (!only) return {}
  return others.length === 0 ? only : (unionOfEnums(distinct) ?? { anyOf: distinct })
}

/**
 * An object schema without the alternatives at its root: their properties become its own. What an alternative leaves open, a property
 * may be anything for, and still shows what it is in the others.
 */
export function withoutAlternatives({ anyOf, ...base }: SchemaNode): SchemaNode {
  const branches = (Array.isArray(anyOf) ? (anyOf as SchemaNode[]) : []).filter(mayBeObject).map(withoutAlternatives)
  if (branches.length === 0) return base
  const properties = new Map(Object.entries(asRecord(base['properties']) ?? {}))
  const isClosed = base['additionalProperties'] === false && !Object.hasOwn(base, 'patternProperties')
  for (const name of new Set(branches.flatMap((branch) => Object.keys(asRecord(branch['properties']) ?? {})))) {
    const said = properties.get(name) as SchemaNode | undefined
    if (said === undefined ? isClosed : Object.keys(said).some((key) => key !== 'description' && key !== 'title')) continue
    const schemas = branches.map((branch) => propertyOf(branch, name)).filter((schema) => schema !== undefined)
    properties.set(name, { ...union(schemas), ...said })
  }
  const always = branches.map(requiredOf).reduce((all, names) => all.filter((name) => names.includes(name)))
  const required = [...new Set([...requiredOf(base), ...always])]
  const closes = !Object.hasOwn(base, 'additionalProperties') && branches.every(isClosedTo)
  return {
    ...base,
    ...(properties.size > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
    ...(closes && !Object.hasOwn(base, 'patternProperties') && { additionalProperties: false }),
  }
}

/** In words, which properties the alternatives ask for: `url, or path and name`; empty where they ask for the same. */
export function alternativesText({ anyOf, required }: SchemaNode): string {
  const branches = (Array.isArray(anyOf) ? (anyOf as SchemaNode[]) : []).filter(mayBeObject)
  const needs = branches.map((branch) => {
    const own = requiredOf(branch).filter((name) => !requiredOf({ required }).includes(name))
    return own.map((name) => name + constantText(asRecord(branch['properties']), name)).join(' and ')
  })
  const distinct = [...new Set(needs)].filter((need) => need !== '')
  return distinct.length < 2 ? '' : distinct.join(', or ')
}

/** The names that a schema requires. */
export function requiredOf({ required }: SchemaNode): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

/** The types that `type` names; undefined: any. */
export function typesOf({ type }: SchemaNode): readonly string[] | undefined {
  return typeof type === 'string' ? [type] : Array.isArray(type) ? (type as string[]) : undefined
}

// --- internal ---

type Both = (one: unknown, other: unknown) => unknown

/** For keywords that both have. */
const BOTH: ReadonlyMap<string, Both> = new Map<string, Both>([
  ['type', bothTypes],
  ['enum', bothEnums],
  ['properties', bothMaps],
  ['patternProperties', bothMaps],
  ['additionalProperties', bothOrNone],
  ['items', (one, other) => intersection(one as SchemaNode, other as SchemaNode)],
  ['required', (one, other) => [...new Set([...requiredOf({ required: one }), ...requiredOf({ required: other })])]],
  ...most('minimum exclusiveMinimum minLength minItems minProperties', Math.max),
  ...most('maximum exclusiveMaximum maxLength maxItems maxProperties', Math.min),
])

function most(keywords: string, choose: (one: number, other: number) => number): [string, Both][] {
  return keywords.split(' ').map((key) => [key, (one, other) => choose(Number(one), Number(other))])
}

function bothTypes(one: unknown, other: unknown): unknown {
  const [a, b] = [typesOf({ type: one }) ?? [], typesOf({ type: other }) ?? []]
  const has = (types: readonly string[], type: string) =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const common = [...new Set([...a.filter((type) => has(b, type)), ...b.filter((type) => has(a, type))])]
  return common.length === 0 ? one : common.length === 1 ? common[0] : common
}

function bothEnums(one: unknown, other: unknown): unknown {
  const allowed = new Set((other as unknown[]).map((value) => JSON.stringify(value)))
  const common = (one as unknown[]).filter((value) => allowed.has(JSON.stringify(value)))
  return common.length === 0 ? one : common
}

function bothMaps(one: unknown, other: unknown): unknown {
  return intersectionOfMaps(one as Record<string, SchemaNode>, other as Record<string, SchemaNode>)
}

function intersectionOfMaps(one: Record<string, SchemaNode>, other: Record<string, SchemaNode>): object {
  const all = new Map(Object.entries(one))
  for (const [name, schema] of Object.entries(other)) {
    const before = all.get(name)
    all.set(name, before ? intersection(before, schema) : schema)
  }
  return Object.fromEntries(all)
}

function bothOrNone(one: unknown, other: unknown): unknown {
  return one === false || other === false ? false : intersection(one as SchemaNode, other as SchemaNode)
}

/** `{type, enum}` alone, beside a description, become one. */
function unionOfEnums(schemas: readonly SchemaNode[]): SchemaNode | undefined {
  const [first] = schemas
  const plain = (schema: SchemaNode) =>
    Array.isArray(schema['enum']) &&
    schema['type'] === first?.['type'] &&
    Object.keys(schema).every((key) => ['type', 'enum', 'description', 'title'].includes(key))
  if (!first || !schemas.every(plain)) return undefined
  const values = new Map(
    schemas.flatMap((schema) => schema['enum'] as unknown[]).map((value) => [JSON.stringify(value), value]),
  )
  return { ...first, enum: [...values.values()] }
}

function mayBeObject(schema: SchemaNode): boolean {
  return typesOf(schema)?.includes('object') ?? true
}

/** What an alternative says of a property; undefined where it does not allow it. */
function propertyOf(branch: SchemaNode, name: string): SchemaNode | undefined {
  const properties = asRecord(branch['properties']) ?? {}
  if (Object.hasOwn(properties, name)) return properties[name] as SchemaNode
  if (isClosedTo(branch)) return undefined
  return Object.hasOwn(branch, 'patternProperties') ? {} : (asRecord(branch['additionalProperties']) ?? {})
}

function isClosedTo(branch: SchemaNode): boolean {
  return branch['additionalProperties'] === false && !Object.hasOwn(branch, 'patternProperties')
}

function constantText(properties: SchemaNode | undefined, name: string): string {
  const values = properties && Object.hasOwn(properties, name) ? asRecord(properties[name])?.['enum'] : undefined
  return Array.isArray(values) && values.length === 1 ? `=${JSON.stringify(values[0])}` : ''
}
