/** Where in a JSON Schema the subschemas are, for both draft-07 and 2020-12: everything else is data and never walked. */
import { asRecord } from '../protocol/messages.js'

/** What stands at a place: a schema, a map of names to schemas, a list of schemas, or plain data. */
export type Place = 'schema' | 'map' | 'list' | 'data'

export type SchemaNode = Readonly<Record<string, unknown>>

/** Deeper schemas are left alone: no real one comes near, and recursion stays far from the end of the stack. */
export const MAX_SCHEMA_DEPTH = 512

/** Keywords that hold schemas, and how; `items` may also be a list, and `dependencies` hold lists of names. */
export const SCHEMA_KEYWORDS: ReadonlyMap<string, Place> = new Map([
  ...named(
    'schema',
    'items additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties propertyNames',
  ),
  ...named('schema', 'not if then else contentSchema'),
  ...named('list', 'allOf anyOf oneOf prefixItems'),
  ...named('map', 'properties patternProperties dependentSchemas dependencies $defs definitions'),
])

/** What the value of `keyword` in a schema is. */
export function placeOf(keyword: string, value: unknown): Place {
  const place = SCHEMA_KEYWORDS.get(keyword) ?? 'data'
  if (place === 'schema' && keyword === 'items' && Array.isArray(value)) return 'list'
  return FITS[place](value) ? place : 'data'
}

/** What an entry of a map or list is; in `dependencies` an array of names may stand for a schema. */
export function entryPlace(value: unknown): Place {
  return FITS.schema(value) ? 'schema' : 'data'
}

/** Whether `keyword` holds schemas that validate nothing until something refers to them. */
export function isDefinitions(keyword: string): boolean {
  return keyword === '$defs' || keyword === 'definitions'
}

/** Calls `visit` for `schema` and every schema in it, with the way to it (`/properties/a`, the root `''`). */
export function walkSchemas(schema: unknown, at: string, visit: (node: SchemaNode, at: string) => void): void {
  const node = asRecord(schema)
  if (!node) return
  visit(node, at)
  for (const [key, value] of Object.entries(node)) {
    const place = placeOf(key, value)
    if (place === 'data') continue
    if (place === 'schema') walkSchemas(value, `${at}/${key}`, visit)
    else for (const [name, entry] of Object.entries(value as object)) walkSchemas(entry, `${at}/${key}/${name}`, visit)
  }
}

// --- internal ---

const FITS: Readonly<Record<Place, (value: unknown) => boolean>> = {
  schema: (value) => typeof value === 'boolean' || asRecord(value) !== undefined,
  map: (value) => asRecord(value) !== undefined,
  list: Array.isArray,
  data: () => true,
}

function named(place: Place, keywords: string): [string, Place][] {
  return keywords.split(' ').map((keyword) => [keyword, place])
}
