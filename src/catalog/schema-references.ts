/** Finds out what the references of a schema need, so that compression takes away nothing they lead to or through. */
import { asRecord } from '../protocol/messages.js'
import { entryPlace, isDefinitions, MAX_SCHEMA_DEPTH, placeOf } from './schema-places.js'
import { follow, pointerTokens, type Target } from './schema-pointers.js'

/**
 * How much may be done: `nothing` where a reference leads to no schema we know, or the nesting has no end; `texts` where references go by
 * identifiers or anchors, so that any part may be a target (only texts cannot); `all` otherwise.
 */
export type Latitude = 'nothing' | 'texts' | 'all'

export interface References {
  readonly latitude: Latitude
  /** Members that a reference leads to or through. */
  readonly isHeld: (node: object, key: string) => boolean
  /** Whether what one keyword leaves unevaluated matters to another. */
  readonly unevaluated: boolean
}

export function findReferences(schema: object): References {
  const scan = new Scan(schema)
  return { latitude: scan.run(), isHeld: (node, key) => scan.isHeld(node, key), unevaluated: scan.unevaluated }
}

// --- internal ---

const DIALECTS = /^https?:\/\/json-schema\.org\/(?:draft-07\/schema|draft\/2020-12\/schema)#?$/

/** Walks what is live: all but definitions, and the definitions that something live refers to. */
class Scan {
  unevaluated = false
  readonly #root: object
  readonly #held = new Map<object, Set<string>>()
  readonly #refs = new Set<string>()
  readonly #dialects = new Set<string>()
  #dynamic = false
  #innerIds = false

  constructor(root: object) {
    this.#root = root
  }

  isHeld(node: object, key: string): boolean {
    return this.#held.get(node)?.has(key) ?? false
  }

  run(): Latitude {
    if (!this.#visit(this.#root, 0)) return 'nothing'
    const allowed = new Set<Latitude>()
    // A set takes what is added while it is walked.
    for (const ref of this.#refs) allowed.add(this.#allowedBy(ref))
    const byIds = this.#refs.size > 0 && this.#innerIds
    if (allowed.has('nothing') || (byIds && [...this.#refs].some(isFarPointer))) return 'nothing'
    const known = this.#dialects.size === 0 || (this.#dialects.size === 1 && DIALECTS.test([...this.#dialects].join()))
    return allowed.has('texts') || byIds || this.#dynamic || !known ? 'texts' : 'all'
  }

  #allowedBy(ref: string): Latitude {
    const tokens = ref.startsWith('#') ? pointerTokens(ref.slice(1)) : undefined
    if (!tokens) return isFarPointer(ref) ? 'nothing' : 'texts'
    const target = follow(this.#root, tokens)
    return target?.place === 'schema' && this.#hold(target) ? 'all' : 'nothing'
  }

  /** Keeps the way to a target, and looks at the definition that it is in. */
  #hold(target: Target): boolean {
    return target.steps.every(({ node, key }, at) => {
      const keys = this.#held.get(node) ?? new Set()
      if (keys.has(key)) return true
      this.#held.set(node, keys.add(key))
      const above = target.steps[at - 1]
      const isDefinition = above?.place === 'schema' && isDefinitions(above.key)
      return !isDefinition || this.#visit((node as Readonly<Record<string, unknown>>)[key], at)
    })
  }

  /** False when the nesting is too deep. */
  #visit(value: unknown, depth: number): boolean {
    if (depth > MAX_SCHEMA_DEPTH) return false
    const schema = asRecord(value)
    if (!schema) return true
    for (const [keyword, child] of Object.entries(schema)) {
      this.#note(keyword, child, depth === 0)
      const place = placeOf(keyword, child)
      if (place === 'data' || isDefinitions(keyword)) continue
      if (place === 'schema') {
        if (!this.#visit(child, depth + 1)) return false
      } else if (
        !Object.values(child as object).every((entry) => entryPlace(entry) === 'data' || this.#visit(entry, depth + 1))
      ) {
        return false
      }
    }
    return true
  }

  #note(keyword: string, value: unknown, isRoot: boolean): void {
    if (keyword === '$ref' && typeof value === 'string') this.#refs.add(value)
    else if (keyword === '$dynamicRef' || keyword === '$recursiveRef') this.#dynamic = true
    else if (keyword === '$id' && !isRoot) this.#innerIds = true
    else if (keyword === '$schema') this.#dialects.add(String(value))
    else if (keyword === 'unevaluatedProperties' || keyword === 'unevaluatedItems') this.unevaluated = true
  }
}

/** Whether a reference goes by a pointer from a root that may not be ours. */
function isFarPointer(ref: string): boolean {
  return ref.includes('#/')
}
