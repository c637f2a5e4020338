/** A schema in which every keyword only narrows: what is left out of it afterwards can only make it accept more. */
import { asRecord } from '../protocol/messages.js'
import { intersection, union } from './combine-schemas.js'
import type { Lowerings } from './lowerings.js'
import type { SchemaNode } from './schema-places.js'
import { follow, pointerTokens } from './schema-pointers.js'

/**
 * Accepts at least what `root` accepts, in draft-07 and in 2020-12: references inlined, recursion cut with an open schema, `oneOf` as
 * `anyOf`, `allOf` as one schema, `const` as `enum`, tuples as arrays of any of their schemas; conditions and negations are left out.
 */
export function positiveForm(root: SchemaNode, lowerings: Lowerings): SchemaNode {
  const form = new Form(root, lowerings).of(root, [ROOT], 0) || {}
  return root['type'] === 'object' && form['type'] !== 'object' ? { ...form, type: 'object' } : form
}

/** The texts of a schema, which validate nothing. */
export function annotationsOf(schema: SchemaNode): SchemaNode {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => ANNOTATIONS.has(key)))
}

// --- internal ---

/** Deeper, and beyond so many schemas that came by references, everything is open. */
const MAX_DEPTH = 100
const MAX_INLINED = 2_000
const ROOT = '#'
const ANNOTATIONS = new Set(['title', 'description', 'default'])
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef']
/** What says nothing once references are inlined, or explains only. */
const IDLE = new Set(
  '$schema $id $anchor $dynamicAnchor $recursiveAnchor $comment $defs definitions examples example deprecated readOnly writeOnly contentSchema'.split(
    ' ',
  ),
)
/** Keywords that may come to accept less when what is in them, or beside them, accepts more. */
const NOT_NARROWING = new Set(
  'not if then else dependentSchemas dependencies unevaluatedProperties unevaluatedItems contains minContains maxContains'.split(
    ' ',
  ),
)
const TUPLES = ['items', 'prefixItems', 'additionalItems']

class Form {
  readonly #root: SchemaNode
  readonly #lowerings: Lowerings
  #inlined = 0

  constructor(root: SchemaNode, lowerings: Lowerings) {
    this.#root = root
    this.#lowerings = lowerings
  }

  /** @param way the references that are being inlined; false for a schema that accepts nothing */
  of(value: unknown, way: readonly string[], depth: number): SchemaNode | false {
    const node = asRecord(value)
    if (!node) return value === false ? false : {}
    if (depth > MAX_DEPTH || (way.length > 1 && ++this.#inlined > MAX_INLINED)) return this.#open(node)
    if (REFERENCES.some((key) => Object.hasOwn(node, key))) return this.#referred(node, way, depth)
    const inner = (schema: unknown) => this.of(schema, way, depth + 1)
    const kept: [string, unknown][] = []
    for (const [key, member] of Object.entries(node)) {
      const left = this.#member(node, key, { member, inner })
      if (left !== undefined && !(left[0] === 'anyOf' && isEmptyList(left[1]))) kept.push(left)
    }
    const tuple = this.#items(node, inner)
    if (tuple) kept.push(['items', tuple])
    const parts = Array.isArray(node['allOf']) ? node['allOf'].map(inner) : []
    if (parts.length > 0) this.#lowerings.add('allOf merged')
    return parts.reduce<SchemaNode>((sum, part) => (part ? intersection(sum, part) : sum), Object.fromEntries(kept))
  }

  #member(
    node: SchemaNode,
    key: string,
    { member, inner }: { member: unknown; inner: (schema: unknown) => SchemaNode | false },
  ): [string, unknown] | undefined {
    if (IDLE.has(key) || key === 'allOf' || TUPLES.includes(key)) return undefined
    if (NOT_NARROWING.has(key)) {
      this.#lowerings.add(`${key} left out`)
      return undefined
    }
    switch (key) {
      case 'const':
        return Object.hasOwn(node, 'enum') ? undefined : ['enum', [member]]
      case 'properties':
      case 'patternProperties':
        return [key, mapOf(member, inner)]
      case 'additionalProperties':
        return [key, inner(member)]
      case 'propertyNames': {
        const names = inner(member)
        return names ? [key, names] : undefined
      }
      case 'oneOf':
        if (Object.hasOwn(node, 'anyOf')) return undefined
        this.#lowerings.add('oneOf written as anyOf')
        return ['anyOf', listOf(member, inner)]
      case 'anyOf':
        return ['anyOf', listOf(member, inner)]
      default:
        return [key, member]
    }
  }

  /** What any element may be. In one dialect `items` is for those behind the tuple, in the other for all. */
  #items(node: SchemaNode, inner: (schema: unknown) => SchemaNode | false): SchemaNode | undefined {
    const { items, prefixItems, additionalItems } = node
    if (!Array.isArray(prefixItems) && !Array.isArray(items)) {
      return Object.hasOwn(node, 'items') ? inner(items) || undefined : undefined
    }
    this.#lowerings.add('tuple written as an array of any of its schemas')
    const rest = Array.isArray(items) ? additionalItems : items
    const schemas = [prefixItems, Array.isArray(items) ? items : [], rest ?? {}].flat()
    return union(listOf(schemas, inner))
  }

  /** Of what stands beside a reference only the texts are taken: draft-07 knows nothing else there. */
  #referred(node: SchemaNode, way: readonly string[], depth: number): SchemaNode | false {
    const ref = node['$ref']
    const tokens = typeof ref === 'string' && ref.startsWith('#') ? pointerTokens(ref.slice(1)) : undefined
    const found = tokens && !this.#hasIds ? follow(this.#root, tokens) : undefined
    if (typeof ref !== 'string' || found?.place !== 'schema') {
      this.#lowerings.add(
        'reference replaced by an open schema',
        'only a reference to a place within the schema can be inlined',
      )
      return annotationsOf(node)
    }
    if (way.includes(ref)) {
      this.#lowerings.add('recursion cut with an open schema')
      return { ...this.#open(asRecord(found.value) ?? {}), ...annotationsOf(node) }
    }
    this.#lowerings.add('$ref inlined')
    const target = this.of(found.value, [...way, ref], depth + 1)
    return target && { ...target, ...annotationsOf(node) }
  }

  /** Below another identifier `#/…` means another root. */
  get #hasIds(): boolean {
    this.#ids ??= INNER_ID.test(JSON.stringify({ ...this.#root, $id: undefined }))
    return this.#ids
  }
  #ids: boolean | undefined

  /** Of the same type at least, where nothing but the type can be said. */
  #open(node: SchemaNode): SchemaNode {
    const isPlain = typeof node['type'] === 'string' && !REFERENCES.some((key) => Object.hasOwn(node, key))
    return { ...(isPlain && { type: node['type'] }), ...annotationsOf(node) }
  }
}

const INNER_ID = /"\$id":"/

/** Alternatives that all accept nothing. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function mapOf(value: unknown, inner: (schema: unknown) => SchemaNode | false): SchemaNode {
  const forms = Object.entries(asRecord(value) ?? {}).map(([name, schema]) => [name, inner(schema)] as const)
  return Object.fromEntries(forms.filter(([, form]) => form !== false))
}

function listOf(value: unknown, inner: (schema: unknown) => SchemaNode | false): SchemaNode[] {
  return (Array.isArray(value) ? value : []).map(inner).filter((form) => form !== false)
}
