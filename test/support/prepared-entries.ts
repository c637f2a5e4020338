/** Entries with made-up costs, for what is decided by costs alone. */
import fc from 'fast-check'
import type { Candidate, ShelvedServer } from '../../src/catalog/admission.js'
import type { Ceilings } from '../../src/catalog/budget-guard.js'
import type { PreparedEntry } from '../../src/protocol/catalog-api.js'
import { LIST_KINDS, type ListKind } from '../../src/protocol/compute-api.js'

export function entryOf(alias: string, key: string, cost = 10): PreparedEntry {
  const exposed = `${alias}__${key}`
  return {
    key,
    exposed,
    label: `mcp/${alias}/tool/${key}`,
    json: `{"name":"${exposed}"}`,
    bytes: cost * 4,
    tokens: cost,
    lastTokens: cost,
  }
}

export function serverOf(
  alias: string,
  tools: readonly PreparedEntry[],
  others: Partial<ShelvedServer['entries']> = {},
): ShelvedServer {
  return { alias, name: `${alias}-name`, entries: { tools, resources: [], resourceTemplates: [], prompts: [], ...others } }
}

/** Servers `a`, `b`, … with these tools of cost 10. */
export function serversOf(tools: Readonly<Record<string, readonly string[]>>): ShelvedServer[] {
  return Object.entries(tools).map(([alias, keys]) =>
    serverOf(
      alias,
      keys.map((key) => entryOf(alias, key)),
    ),
  )
}

export const exposedOf = (candidates: readonly Candidate[]) => candidates.map(({ entry }) => entry.exposed)

export const costs = fc.record({ bytes: fc.nat(3_000), tokens: fc.nat(900), lastTokens: fc.nat(900) })

export const ceilings: fc.Arbitrary<Ceilings> = fc.record({
  maxTools: fc.nat(12),
  maxTokens: fc.integer({ min: 400, max: 4_000 }),
  maxBytes: fc.integer({ min: 1_000, max: 12_000 }),
})

/** Up to four servers with entries of all kinds. */
export const shelves: fc.Arbitrary<ShelvedServer[]> = fc
  .array(fc.record({ tools: lists(), resources: lists(), resourceTemplates: lists(), prompts: lists() }), { maxLength: 4 })
  .map((servers) => servers.map((entries, at) => named(String.fromCharCode(97 + at), entries)))

// --- internal ---

type Costs = { readonly bytes: number; readonly tokens: number; readonly lastTokens: number }

function lists(): fc.Arbitrary<Costs[]> {
  return fc.array(costs, { maxLength: 8 })
}

function named(alias: string, costs: Readonly<Record<ListKind, readonly Costs[]>>): ShelvedServer {
  const entries = LIST_KINDS.map((kind) => [
    kind,
    costs[kind].map((cost, at) => ({ ...entryOf(alias, `${kind}${at}`), label: `mcp/${alias}/${kind}/${at}`, ...cost })),
  ])
  return { alias, name: `${alias}-name`, entries: Object.fromEntries(entries) as ShelvedServer['entries'] }
}
