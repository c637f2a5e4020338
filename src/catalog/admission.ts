/** The order in which entries of a large catalog are let into its lists: pins, what use has taught, then fair turns among servers. Pure. */
import type { PreparedEntry, PreparedServer } from '../protocol/catalog-api.js'
import type { ListKind } from '../protocol/compute-api.js'
import type { BudgetGuard } from './budget-guard.js'
import { nameMatcher } from './name-matcher.js'
import { pinsOf } from './pins.js'

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
  /** Exposed names or `server::tool`, the first first; globs pin what they match, in the order of the configuration. */
  readonly pins: readonly string[]
  /** Servers whose tools may be listed, names or globs; undefined: all. Pins are listed all the same. */
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

/** The kinds that are no tools. */
export const COMPANIONS = ['resources', 'resourceTemplates', 'prompts'] as const

export function rankTools(servers: readonly ShelvedServer[], rules: AdmissionRules): RankedTools {
  const { allowlist, usageOf } = rules
  const all = servers.map((server) => candidatesOf(server, 'tools'))
  const { pinned, unknownPins } = pinnedOf(all.flat(), rules.pins)
  const taken = new Set(pinned)
  const allows = allowlist ? nameMatcher(allowlist) : () => true
  const allowed = all.filter(([first]) => first && allows(first.server.name))
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

function candidatesOf(server: ShelvedServer, kind: ListKind): Candidate[] {
  return server.entries[kind].map((entry) => ({ kind, server, entry }))
}

function pinnedOf(
  candidates: readonly Candidate[],
  pins: readonly string[],
): { pinned: Candidate[]; unknownPins: readonly string[] } {
  const found = pinsOf(pins).map((pin) => ({ pin, tools: pin.of(candidates) }))
  return {
    pinned: [...new Set(found.flatMap(({ tools }) => tools))],
    unknownPins: found.filter(({ tools }) => tools.length === 0).map(({ pin }) => pin.text),
  }
}

function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  const turns = Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1)))
  return turns.flat()
}
