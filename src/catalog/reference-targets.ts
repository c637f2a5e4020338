/** What the references of a schema can lead to: its identifiers, its anchors, and every place that a pointer reaches. */
import { asRecord } from '../protocol/messages.js'
import { follow, pointerTokens } from './schema-pointers.js'

/** Lenient: of two things that a reference may mean, one is enough. So what a validator resolves is never said to lead nowhere. */
export class ReferenceTargets {
  readonly #roots: { readonly id: string | undefined; readonly node: object }[]
  readonly #anchors = new Set<string>()

  constructor(root: object) {
    this.#roots = [{ id: undefined, node: root }]
  }

  /** Takes what a subschema is known by. */
  add(node: Readonly<Record<string, unknown>>): void {
    for (const anchor of [node['$anchor'], node['$dynamicAnchor']]) if (typeof anchor === 'string') this.#anchors.add(anchor)
    const id = node['$id']
    if (typeof id !== 'string') return
    const [uri, anchor] = split(id)
    if (anchor !== '') this.#anchors.add(anchor)
    this.#roots.push({ id: lastPart(uri), node })
  }

  has(ref: unknown): boolean {
    if (typeof ref !== 'string') return false
    const [uri, fragment] = split(ref)
    // Validators know the dialects themselves.
    if (/^https?:\/\/json-schema\.org\//.test(uri)) return true
    const roots = uri === '' ? this.#roots : this.#roots.filter(({ id }) => id === lastPart(uri))
    const tokens = pointerTokens(fragment)
    if (!tokens) return roots.length > 0 && this.#anchors.has(fragment)
    return roots.some(({ node }) => isSchema(follow(node, tokens)?.value))
  }
}

// --- internal ---

function split(uri: string): [string, string] {
  const at = uri.indexOf('#')
  return at < 0 ? [uri, ''] : [uri.slice(0, at), uri.slice(at + 1)]
}

/** Relative references end like the identifiers that they mean. */
function lastPart(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1)
}

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || asRecord(value) !== undefined
}
