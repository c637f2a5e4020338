/** Values for a JSON Schema: likely valid ones, and small damages to them. Seeded, so that a failure comes back. */
import { asRecord } from '../../src/protocol/messages.js'

/** Numbers from 0 up to 1. */
export type Random = () => number

type Schema = Readonly<Record<string, unknown>>

/** mulberry32 */
export function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** A value that `schema` likely accepts. */
export function sampleOf(root: unknown, random: Random): unknown {
  return new Sampler(root, random).sample(root, 0)
}

/** `value` with one thing changed: a key left out or added, another type, null, at some depth. */
export function damaged(value: unknown, random: Random): unknown {
  const record = asRecord(value)
  if (record) {
    const keys = Object.keys(record)
    const key = pick(keys, random)
    if (key === undefined || random() < 0.25) return { ...record, [pick(ODD_KEYS, random) ?? 'x']: pick(ODD_VALUES, random) }
    if (random() < 0.3) return without(record, key)
    return withValue(record, key, damaged(record[key], random))
  }
  if (Array.isArray(value) && value.length > 0 && random() < 0.7) {
    const at = Math.floor(random() * value.length)
    return random() < 0.3 ? [...value, value[at]] : value.map((item, index) => (index === at ? damaged(item, random) : item))
  }
  return pick(
    ODD_VALUES.filter((odd) => odd !== value),
    random,
  )
}

// --- internal ---

const ODD_KEYS = ['extra', '__proto__', 'constructor', 'title', '$id', 'x-1']
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e9,
  '',
  'odd',
  'https://example.com/a',
  [],
  [1, 1],
  {},
  { a: 1 },
]

class Sampler {
  readonly #root: unknown
  readonly #random: Random

  constructor(root: unknown, random: Random) {
    this.#root = root
    this.#random = random
  }

  sample(schema: unknown, depth: number): unknown {
    const node = asRecord(schema)
    if (!node || depth > 12) return pick(ODD_VALUES, this.#random)
    if ('const' in node) return node['const']
    if (Array.isArray(node['enum'])) return pick(node['enum'], this.#random)
    if (typeof node['$ref'] === 'string') return this.sample(this.#target(node['$ref']), depth + 1)
    for (const key of ['anyOf', 'oneOf']) {
      const branches = node[key]
      if (!Array.isArray(branches)) continue
      const branch = pick(branches, this.#random)
      return this.#typed(asRecord(branch) ? this.#merged(node, branch as Schema) : node, depth + 1)
    }
    const parts = Array.isArray(node['allOf']) ? node['allOf'].filter((part) => asRecord(part)) : []
    return this.#typed(
      parts.reduce((sum: Schema, part) => this.#merged(sum, part as Schema), node),
      depth,
    )
  }

  #merged(one: Schema, other: Schema): Schema {
    const target = typeof other['$ref'] === 'string' ? asRecord(this.#target(other['$ref'])) : undefined
    const { anyOf, oneOf, allOf, ...rest } = { ...one }
    const extra = target ?? other
    return {
      ...rest,
      ...extra,
      properties: mergedMaps(one['properties'], extra['properties']),
      required: [...listOf(one['required']), ...listOf(extra['required'])],
    }
  }

  #typed(node: Schema, depth: number): unknown {
    if ('const' in node || 'enum' in node || '$ref' in node || 'anyOf' in node || 'oneOf' in node)
      return this.sample(node, depth)
    const type = Array.isArray(node['type']) ? pick(node['type'], this.#random) : (node['type'] ?? guessedType(node))
    if (type === 'object') return this.#object(node, depth)
    if (type === 'array') return this.#array(node, depth)
    if (type === 'string') return this.#string(node)
    if (type === 'integer' || type === 'number') return this.#number(node, type)
    if (type === 'boolean') return this.#random() < 0.5
    if (type === 'null') return null
    return pick(ODD_VALUES, this.#random)
  }

  #object(node: Schema, depth: number): unknown {
    const properties = asRecord(node['properties']) ?? {}
    const required = new Set(listOf(node['required']).filter((key): key is string => typeof key === 'string'))
    const entries: [string, unknown][] = []
    for (const [key, property] of Object.entries(properties)) {
      if (required.has(key) || (this.#random() < 0.6 && depth < 6)) entries.push([key, this.sample(property, depth + 1)])
    }
    for (const key of required)
      if (!Object.hasOwn(properties, key)) entries.push([key, this.sample(node['additionalProperties'], depth + 1)])
    const more = asRecord(node['additionalProperties'])
    if (more && this.#random() < 0.5 && depth < 6) entries.push(['more', this.sample(more, depth + 1)])
    return Object.fromEntries(entries)
  }

  #array(node: Schema, depth: number): unknown {
    const first = [...listOf(node['prefixItems']), ...listOf(node['items'])]
    const min = typeof node['minItems'] === 'number' ? node['minItems'] : 0
    const length = Math.max(Math.min(min, 20), depth > 6 ? 0 : Math.floor(this.#random() * 3), first.length)
    const rest = node['contains'] ?? (Array.isArray(node['items']) ? node['additionalItems'] : node['items'])
    return Array.from({ length }, (_, at) => this.sample(first[at] ?? rest, depth + 1))
  }

  #string(node: Schema): string {
    const format = FORMATS[String(node['format'])]
    if (format) return format
    const min = typeof node['minLength'] === 'number' ? node['minLength'] : 0
    const max = typeof node['maxLength'] === 'number' ? node['maxLength'] : 64
    return (pick(['odd', 'a', '12', 'two words'], this.#random) ?? '').padEnd(Math.min(min, 1_000), 'x').slice(0, max)
  }

  #number(node: Schema, type: string): number {
    const low = Number(node['minimum'] ?? Number(node['exclusiveMinimum'] ?? -1) + 1)
    const high = Number(node['maximum'] ?? Number(node['exclusiveMaximum'] ?? low + 11) - 1)
    const value = low + this.#random() * (high - low)
    return type === 'integer' ? Math.ceil(value) : value
  }

  #target(ref: string): unknown {
    if (!ref.startsWith('#/')) return ref === '#' ? this.#root : undefined
    return decodeURIComponent(ref.slice(2))
      .split('/')
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((node, key) => (node as Schema | undefined)?.[key], this.#root)
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  uri: 'https://example.com/a',
  url: 'https://example.com/a',
  email: 'a@example.com',
  date: '2024-02-29',
  'date-time': '2024-02-29T12:00:00Z',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
}

function guessedType(node: Schema): string | undefined {
  if ('properties' in node || 'required' in node || 'additionalProperties' in node) return 'object'
  return 'items' in node || 'prefixItems' in node || 'contains' in node ? 'array' : undefined
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function mergedMaps(one: unknown, other: unknown): Schema {
  return Object.fromEntries([...Object.entries(asRecord(one) ?? {}), ...Object.entries(asRecord(other) ?? {})])
}

function without(record: Schema, key: string): Schema {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
}

function withValue(record: Schema, key: string, value: unknown): Schema {
  return Object.fromEntries(Object.entries(record).map(([name, old]) => [name, name === key ? value : old]))
}

function pick<T>(values: readonly T[], random: Random): T | undefined {
  return values[Math.floor(random() * values.length)]
}
