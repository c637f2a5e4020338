/** What the gateway offers a client: what its servers offer, as far as they have answered, and what it does itself. */
import { asRecord } from '../protocol/messages.js'

type Capabilities = Readonly<Record<string, unknown>>

interface MergeOptions {
  /** Capabilities of the servers that have answered. */
  readonly known: readonly Capabilities[]
  /** Some server is still out: it may bring tools, resources and prompts. */
  readonly waiting: boolean
  /** The gateway lists tools and a resource template of its own, whose labels it completes. */
  readonly indexing: boolean
}

const CHANGING = { listChanged: true }

export function mergeCapabilities(options: MergeOptions): Capabilities {
  const merged = options.known.reduce(mergeDeep, {})
  const more: Record<string, unknown> = {}
  if (options.waiting || options.indexing) {
    more['tools'] = CHANGING
    more['resources'] = CHANGING
  }
  if (options.indexing) more['completions'] = {}
  if (options.waiting) more['prompts'] = CHANGING
  for (const kind of ['tools', 'resources', 'prompts']) {
    if (kind in merged) more[kind] = CHANGING
  }
  return mergeDeep(merged, more)
}

// --- internal ---

/** Objects member by member; of two other values the later wins unless it is false or absent. */
function mergeDeep(a: Capabilities, b: Capabilities): Capabilities {
  const merged = new Map(Object.entries(a))
  for (const [key, value] of Object.entries(b)) {
    const before = merged.get(key)
    const both = [asRecord(before), asRecord(value)] as const
    if (both[0] && both[1]) merged.set(key, mergeDeep(both[0], both[1]))
    else if (before === undefined || value) merged.set(key, value)
  }
  return Object.fromEntries(merged)
}
