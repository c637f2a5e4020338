/** Makes a JSON Schema smaller without changing what it accepts: what only repeats, explains at length or constrains nothing goes. */
import { asRecord } from '../protocol/messages.js'
import { cutDescription } from './cut-description.js'
import { isDefinitions, MAX_SCHEMA_DEPTH, placeOf } from './schema-places.js'
import { findReferences, type References } from './schema-references.js'

export interface CompressOptions {
  /** UTF-16 code units kept of a description, the ellipsis included; 0: all. */
  readonly descriptionBudget: number
  /** The tool's name; a root title that only repeats it (`fetchArguments`) goes. */
  readonly toolName?: string
}

/**
 * What validates against `schema` validates against the result and the other way round, in draft-07 and in 2020-12. Gives a copy that
 * shares its unchanged data with `schema`, in the same order; `schema` itself where it is too odd to be touched. Never throws.
 *
 * `items` and the root's `properties` stay even when empty, and so do `x-` members: LLM APIs and clients ask for them.
 */
export function compressSchema(schema: unknown, options: CompressOptions): unknown {
  const root = asRecord(schema)
  if (!root) return schema
  const references = findReferences(root)
  return references.latitude === 'nothing' ? schema : new Compression(references, options).run(root)
}

// --- internal ---

type Schema = Readonly<Record<string, unknown>>

interface Member {
  readonly schema: Schema
  readonly key: string
  readonly value: unknown
  /** The name of the schema's property, definition or, at the root, tool. */
  readonly name: string | undefined
  readonly depth: number
}

/** Keywords with data that go when this says so. */
const IDLE_DATA: ReadonlyMap<string, (value: unknown, schema: Schema) => boolean> = new Map([
  ...each('$id $anchor $dynamicAnchor', isString),
  ...each('examples example', () => true),
  ...each('deprecated readOnly writeOnly uniqueItems', (value: unknown) => value === false),
  ...each('minLength minItems minProperties', (value: unknown) => value === 0),
  ...each('required dependentRequired', isEmpty),
  ...each(
    'markdownDescription',
    (_: unknown, schema: Schema) => isString(schema['description']) && schema['description'].trim() !== '',
  ),
])

/** Keywords with schemas that go when this is true of what is left of them. */
const IDLE_SCHEMAS: ReadonlyMap<string, (left: unknown) => boolean> = new Map([
  ...each('properties patternProperties dependentSchemas dependencies $defs definitions', isEmpty),
  ...each('additionalProperties', acceptsAll),
  // Names are strings anyway.
  ...each('propertyNames', (left: unknown) => acceptsAll(left) || JSON.stringify(left) === '{"type":"string"}'),
])

/** Keywords that mean another thing, or nothing, in the other dialect. */
const DIALECTAL = words(
  'additionalItems dependencies prefixItems unevaluatedItems unevaluatedProperties dependentSchemas dependentRequired minContains maxContains',
)

/** What may stand beside `$ref`, which hides its neighbours in draft-07, without a difference. */
const BESIDE_REF = words(
  '$ref $schema $id $comment $defs definitions title description markdownDescription default examples deprecated readOnly writeOnly',
)

/** What generators add to a tool's name for the title of its schemas. */
const TITLE_ENDS = words('arguments args input output dictoutput parameters params request response result schema')

class Compression {
  readonly #references: References
  readonly #options: CompressOptions
  readonly #all: boolean
  /** Whether something that is kept depends on the dialect. */
  #dialectal = false

  constructor(references: References, options: CompressOptions) {
    this.#references = references
    this.#options = options
    this.#all = references.latitude === 'all'
  }

  run(root: Schema): Schema {
    const whole = this.#schema(root, this.#options.toolName, 0)
    if (!this.#all || this.#dialectal) return whole
    const { $schema: _, ...rest } = whole
    return rest
  }

  #schema(schema: Schema, name: string | undefined, depth: number): Schema {
    const kept: [string, unknown][] = []
    for (const [key, value] of Object.entries(schema)) {
      const left = this.#member({ schema, key, value, name, depth })
      if (left !== undefined) kept.push([key, left])
    }
    if (Object.hasOwn(schema, '$ref') && kept.some(([key]) => !BESIDE_REF.has(key))) this.#dialectal = true
    // Unlike assignment, this makes `__proto__` a key like any other.
    return Object.fromEntries(kept)
  }

  /** What is left of a member, or undefined. */
  #member(member: Member): unknown {
    const { key, value, depth } = member
    const place = depth < MAX_SCHEMA_DEPTH ? placeOf(key, value) : 'data'
    const left = place === 'data' ? this.#data(member) : this.#subschemas(member)
    if (left === undefined || (place !== 'data' && this.#all && this.#isIdle(member, left))) return undefined
    if (DIALECTAL.has(key) || (key === 'items' && place === 'list')) this.#dialectal = true
    return left
  }

  #data(member: Member): unknown {
    const { schema, key, value } = member
    if (isString(value)) {
      if (key === '$comment') return undefined
      if (key === 'title' && (value.trim() === '' || repeatsName(value, member))) return undefined
      if (key === 'description') return nonBlank(cutDescription(value, this.#options.descriptionBudget))
    }
    return this.#all && IDLE_DATA.get(key)?.(value, schema) ? undefined : value
  }

  #subschemas({ key, value, depth }: Member): unknown {
    if (Array.isArray(value)) return value.map((entry) => this.#subschema(entry, undefined, depth))
    const kind = placeOf(key, value)
    if (kind === 'schema') return this.#subschema(value, undefined, depth)
    const dropsUnused = this.#all && isDefinitions(key)
    const hasNames = key === 'properties' || isDefinitions(key)
    const kept: [string, unknown][] = []
    for (const [name, entry] of Object.entries(value as Schema)) {
      if (dropsUnused && !this.#references.isHeld(value as Schema, name)) continue
      kept.push([name, this.#subschema(entry, hasNames ? name : undefined, depth)])
    }
    return Object.fromEntries(kept)
  }

  #subschema(value: unknown, name: string | undefined, depth: number): unknown {
    const schema = asRecord(value)
    return schema ? this.#schema(schema, name, depth + 1) : value
  }

  #isIdle({ schema, key, depth }: Member, left: unknown): boolean {
    if (!IDLE_SCHEMAS.get(key)?.(left) || this.#references.isHeld(schema, key)) return false
    if (key === 'additionalProperties') return !this.#references.unevaluated
    return key !== 'properties' || depth > 0
  }
}

function repeatsName(title: string, { name, depth }: Member): boolean {
  if (name === undefined) return false
  const [said, known] = [lettersOf(title), lettersOf(name)]
  if (said === known) return said !== '' || title === name
  return depth === 0 && known !== '' && said.startsWith(known) && TITLE_ENDS.has(said.slice(known.length))
}

/** Letters and digits alone, so that "Repo Name", `repo_name` and `repoName` are the same. */
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}

function nonBlank(text: string): string | undefined {
  return text.trim() === '' ? undefined : text
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function acceptsAll(schema: unknown): boolean {
  return schema === true || (asRecord(schema) !== undefined && isEmpty(schema))
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

function each<T>(keywords: string, value: T): [string, T][] {
  return keywords.split(' ').map((keyword) => [keyword, value])
}
