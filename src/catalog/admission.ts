/** The order in which entries of a large catalog are let into its lists: pins, what use has taught, then fair turns among servers. Pure. */
import type { PreparedEntry, PreparedServer } from '../protocol/catalog-api.js'
import type { ListKind } from '../protocol/compute-api.js'
import type { BudgetGuard } from './budget-guard.js'

/** A server's entries, in the order of the configuration. */
export interface ShelvedServer {
  readonly alias: string
  /** The key in the configuration file. */
  readonly name: string
  readonly entries: PreparedServer['entries']
}

export interface Candidate {
  readonly kind: ListKind
  readonly server: ShelvedServer
  readonly entry: PreparedEntry
}

export interface AdmissionRules {
  /** Exposed names or `server::tool`, the first first. */
  readonly pins: readonly string[]
  /** Servers whose tools may be listed; undefined: all. Pins are listed all the same. */
  readonly allowlist: readonly string[] | undefined
  /** How much a tool was used, by its server's name and its own; 0: never. */
  readonly usageOf: (server: string, tool: string) => number
}

export interface RankedTools {
  /** The best first. Tools that may not be listed are left out. */
  readonly candidates: readonly Candidate[]
  /** How many of them are pins. */
  readonly pinned: number
  /** Pins that name no tool. */
  readonly unknownPins: readonly string[]
}

export function rankTools(servers: readonly ShelvedServer[], rules: AdmissionRules): RankedTools {
  const { allowlist, usageOf } = rules
  const all = servers.map((server) => candidatesOf(server, 'tools'))
  const { pinned, unknownPins } = pinnedOf(all.flat(), rules.pins)
  const taken = new Set(pinned)
  const allowed = all.filter(([first]) => !allowlist || (first && allowlist.includes(first.server.name)))
  const used = allowed
    .flat()
    .filter((candidate) => !taken.has(candidate))
    .map((candidate) => ({ candidate, value: usageOf(candidate.server.name, candidate.entry.key) }))
    .filter(({ value }) => value > 0)
    // The sort is stable: of equal ones the order of the configuration holds.
    .sort((a, b) => b.value - a.value)
    .map(({ candidate }) => candidate)
  for (const candidate of used) taken.add(candidate)
  const rest = inTurns(allowed.map((list) => list.filter((candidate) => !taken.has(candidate))))
  return { candidates: [...pinned, ...used, ...rest], pinned: pinned.length, unknownPins }
}

/** Entries of other kinds: nobody knows their use, so servers take turns, and so do kinds. */
export function companionsInTurns(servers: readonly ShelvedServer[]): Candidate[] {
  return inTurns(servers.flatMap((server) => COMPANIONS.map((kind) => candidatesOf(server, kind))))
}

/** Lets in what fits, in order; one that does not fit is skipped, and smaller ones after it may enter. */
export function admit(guard: BudgetGuard, candidates: readonly Candidate[], reserve = 0): Candidate[] {
  return candidates.filter(({ kind, entry }) => {
    if (!guard.fits(kind, entry, reserve)) return false
    guard.add(kind, entry)
    return true
  })
}

// --- internal ---

const COMPANIONS = ['resources', 'resourceTemplates', 'prompts'] as const

function candidatesOf(server: ShelvedServer, kind: ListKind): Candidate[] {
  return server.entries[kind].map((entry) => ({ kind, server, entry }))
}

function pinnedOf(
  candidates: readonly Candidate[],
  pins: readonly string[],
): { pinned: Candidate[]; unknownPins: readonly string[] } {
  if (pins.length === 0) return { pinned: [], unknownPins: [] }
  const byName = new Map<string, Candidate>()
  for (const candidate of candidates) {
    byName.set(`${candidate.server.name}::${candidate.entry.key}`, candidate)
    byName.set(`${candidate.server.alias}::${candidate.entry.key}`, candidate)
  }
  // An exposed name goes before a composition that looks like one.
  for (const candidate of candidates) byName.set(candidate.entry.exposed, candidate)
  const found = pins.map((pin) => byName.get(pin))
  return {
    pinned: [...new Set(found.filter((candidate) => candidate !== undefined))],
    unknownPins: pins.filter((_, at) => found[at] === undefined),
  }
}

function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  const turns = Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1)))
  return turns.flat()
}
