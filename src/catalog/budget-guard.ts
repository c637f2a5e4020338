/** The hard ceilings over what a client is given of a catalog, and what of them is used. Pure state. */
import type { PreparedEntry } from '../protocol/catalog-api.js'
import type { ListKind } from '../protocol/compute-api.js'

export interface Ceilings {
  /** Upstream tools. */
  readonly maxTools: number
  /** o200k tokens of the array of tools, the gateway's own included. */
  readonly maxTokens: number
  /** UTF-8 bytes of all lists, the gateway's own entries included. */
  readonly maxBytes: number
}

export const NO_CEILINGS: Ceilings = { maxTools: Infinity, maxTokens: Infinity, maxBytes: Infinity }

/** What an entry costs. */
export type Cost = Pick<PreparedEntry, 'bytes' | 'tokens' | 'lastTokens'>

/**
 * Knows what is listed by its cost alone. Tokens are bounded from above: an entry counts with the dearer of its two places, last or
 * not, so that what fits here fits in any order. The bound is off by at most a token an entry.
 */
export class BudgetGuard {
  readonly ceilings: Ceilings
  #tools = 0
  #tokens = BRACKETS
  #bytes: number

  /** @param own the gateway's own tools, which are always listed; they count, but not as upstream tools */
  constructor(ceilings: Ceilings, own: readonly Cost[]) {
    this.ceilings = ceilings
    this.#bytes = own.reduce((sum, { bytes }) => sum + bytes + COMMA, 0)
    this.#tokens += own.reduce((sum, cost) => sum + dearest(cost), 0)
  }

  /** Whether all ceilings hold. */
  get holds(): boolean {
    const { maxTools, maxTokens, maxBytes } = this.ceilings
    return this.#tools <= maxTools && this.#tokens <= maxTokens && this.#bytes <= maxBytes
  }

  /** Whether the entry can be listed beside what is. `reserve`: bytes to leave to others. */
  fits(kind: ListKind, entry: Cost, reserve = 0): boolean {
    const { maxTools, maxTokens, maxBytes } = this.ceilings
    if (this.#bytes + entry.bytes + COMMA + reserve > maxBytes) return false
    return kind !== 'tools' || (this.#tools < maxTools && this.#tokens + dearest(entry) <= maxTokens)
  }

  /** The largest part of a ceiling that the entry would take. */
  shareOf(kind: ListKind, entry: Cost): number {
    const { maxTokens, maxBytes } = this.ceilings
    const bytes = (entry.bytes + COMMA) / maxBytes
    return kind === 'tools' ? Math.max(bytes, dearest(entry) / maxTokens) : bytes
  }

  add(kind: ListKind, entry: Cost): void {
    this.#count(kind, entry, 1)
  }

  remove(kind: ListKind, entry: Cost): void {
    this.#count(kind, entry, -1)
  }

  // --- internal ---

  #count(kind: ListKind, entry: Cost, sign: 1 | -1): void {
    this.#bytes += sign * (entry.bytes + COMMA)
    if (kind !== 'tools') return
    this.#tools += sign
    this.#tokens += sign * dearest(entry)
  }
}

// --- internal ---

const COMMA = 1
/** What a list costs beside its entries, at most. */
const BRACKETS = 2

function dearest({ tokens, lastTokens }: Cost): number {
  return Math.max(tokens, lastTokens)
}
