/** What a session has listed: planned once, then only growing at its end while the ceilings hold. Pure state. */
import type { PreparedEntry } from '../protocol/catalog-api.js'
import { LIST_KINDS, type ListKind } from '../protocol/compute-api.js'
import {
  type AdmissionRules,
  admit,
  type Candidate,
  COMPANIONS,
  companionsInTurns,
  rankTools,
  type ShelvedServer,
} from './admission.js'
import { BudgetGuard, type Ceilings, type Cost, NO_CEILINGS } from './budget-guard.js'
import { type Pin, pinsOf } from './pins.js'

/** Of the bytes that a client is given, so large a part may go to resources, templates and prompts before tools have taken theirs. */
const COMPANIONS_SHARE = 0.25

interface ListingOptions {
  /** The gateway's own tools. */
  readonly own: () => readonly Cost[]
  readonly rules: AdmissionRules
  /** How well a tool goes with those the session has used; of those never called the one that goes worst leaves first. */
  readonly affinity: () => (server: string, tool: string) => number
}

export interface GrowOptions {
  readonly servers: readonly ShelvedServer[]
  /** Undefined: nothing is deferred, all that may be listed is. */
  readonly ceilings: Ceilings | undefined
}

export class Listing {
  readonly #options: ListingOptions
  readonly #listed = new Map<ListKind, Map<string, Candidate>>(LIST_KINDS.map((kind) => [kind, new Map()]))
  /** Entries that were offered once: what was deferred then waits for its activation. */
  readonly #offered = new Set<string>()
  readonly #called = new Set<string>()
  readonly #pins: readonly Pin[]
  /** What a search has found, by kind and name, the latest last. */
  readonly #activated = new Set<string>()
  #guard: BudgetGuard
  #planned = false
  #unfitPins: readonly string[] = []
  #unknownPins: readonly string[] = []

  constructor(options: ListingOptions) {
    this.#options = options
    this.#pins = pinsOf(options.rules.pins)
    this.#guard = new BudgetGuard(NO_CEILINGS, options.own())
  }

  get planned(): boolean {
    return this.#planned
  }

  /** Pins that name a tool for which there is no room. */
  get unfitPins(): readonly string[] {
    return this.#unfitPins
  }

  get unknownPins(): readonly string[] {
    return this.#unknownPins
  }

  entries(kind: ListKind): PreparedEntry[] {
    return [...this.#of(kind).values()].map(({ entry }) => entry)
  }

  has(kind: ListKind, exposed: string): boolean {
    return this.#of(kind).has(exposed)
  }

  /** A tool that was called stays. */
  called(exposed: string): void {
    this.#called.add(exposed)
  }

  /**
   * Brings the lists up to date with what the servers have now: entries that are gone leave, changed ones change in their place, new
   * ones come in at the end as far as they may. The first time it plans the whole, in the order of the configuration.
   */
  update({ servers, ceilings }: GrowOptions): void {
    this.#measure(ceilings, this.#refresh(servers))
    this.#evictWhile(() => !this.#guard.holds)
    const tools = rankTools(servers, this.#options.rules)
    this.#unknownPins = tools.unknownPins
    const isNew = (candidate: Candidate) => this.#isNew(candidate, ceilings === undefined)
    const companions = companionsInTurns(servers).filter(isNew)
    const wanted = companions.reduce((sum, { entry }) => sum + entry.bytes + 1, 0)
    const reserve = ceilings ? Math.min(wanted, ceilings.maxBytes * COMPANIONS_SHARE) : 0
    const admitted = [...admit(this.#guard, tools.candidates.filter(isNew), reserve), ...admit(this.#guard, companions)]
    this.#append(admitted, servers)
    this.#unfitPins = tools.candidates
      .slice(0, tools.pinned)
      .filter(({ entry }) => !this.has('tools', entry.exposed))
      .map(({ entry }) => entry.exposed)
    for (const server of servers)
      for (const kind of LIST_KINDS) for (const { label } of server.entries[kind]) this.#offered.add(label)
    this.#planned = true
  }

  /**
   * What one search has found, best first, joins the ends of the lists; the least valuable tools that were never called make room, but
   * none that the same search has found. What finds no room stays deferred, and so does what would drive out others by its size alone.
   * @returns the lists that have changed
   */
  activate(found: readonly Candidate[]): ReadonlySet<ListKind> {
    const changed = new Set<ListKind>()
    const kept = new Set(found.map(keyOf))
    for (const candidate of found) {
      const { kind, entry } = candidate
      if (!this.has(kind, entry.exposed)) {
        const leaving = this.#leavingFor(candidate, kept)
        if (!leaving) continue
        for (const gone of leaving) {
          this.#leave(gone)
          changed.add(gone.kind)
        }
        this.#guard.add(kind, entry)
        this.#of(kind).set(entry.exposed, candidate)
        changed.add(kind)
      }
      // To the end: what was found last is the last to leave.
      this.#activated.delete(keyOf(candidate))
      this.#activated.add(keyOf(candidate))
    }
    return changed
  }

  // --- internal ---

  #of(kind: ListKind): Map<string, Candidate> {
    return this.#listed.get(kind) ?? new Map()
  }

  #isNew({ kind, entry }: Candidate, all: boolean): boolean {
    return !this.has(kind, entry.exposed) && (all || !this.#offered.has(entry.label))
  }

  /** Gives the entries that are listed and read otherwise now. */
  #refresh(servers: readonly ShelvedServer[]): ReadonlySet<Candidate> {
    const changed = new Set<Candidate>()
    for (const kind of LIST_KINDS) {
      const now = new Map<string, Candidate>()
      for (const server of servers) for (const entry of server.entries[kind]) now.set(entry.exposed, { kind, server, entry })
      const listed = this.#of(kind)
      for (const [exposed, before] of [...listed]) {
        const current = now.get(exposed)
        if (current) listed.set(exposed, current)
        else listed.delete(exposed)
        if (current && current.entry.json !== before.entry.json) changed.add(current)
      }
    }
    return changed
  }

  /** What has changed and no longer fits leaves, rather than something of other servers. */
  #measure(ceilings: Ceilings | undefined, changed: ReadonlySet<Candidate>): void {
    this.#guard = new BudgetGuard(ceilings ?? NO_CEILINGS, this.#options.own())
    const listed = LIST_KINDS.flatMap((kind) => [...this.#of(kind).values()])
    for (const candidate of listed) if (!changed.has(candidate)) this.#guard.add(candidate.kind, candidate.entry)
    for (const { kind, entry } of changed) {
      if (this.#guard.fits(kind, entry)) this.#guard.add(kind, entry)
      else this.#of(kind).delete(entry.exposed)
    }
  }

  /** In the order of the configuration among themselves, behind all that is listed. */
  #append(admitted: readonly Candidate[], servers: readonly ShelvedServer[]): void {
    const chosen = new Set(admitted.map(({ entry }) => entry))
    for (const server of servers) {
      for (const kind of LIST_KINDS) {
        for (const entry of server.entries[kind]) {
          if (chosen.has(entry)) this.#of(kind).set(entry.exposed, { kind, server, entry })
        }
      }
    }
  }

  /** Who must leave for an entry to fit; undefined where even all that may leave would not do. Nothing is changed. */
  #leavingFor({ kind, entry }: Candidate, kept: ReadonlySet<string>): Candidate[] | undefined {
    if (this.#guard.fits(kind, entry)) return []
    if (this.#guard.shareOf(kind, entry) > MOST_FOR_ONE) return undefined
    const leaving: Candidate[] = []
    for (const next of this.#leastFirst()) {
      if (kept.has(keyOf(next))) continue
      this.#guard.remove(next.kind, next.entry)
      leaving.push(next)
      if (this.#guard.fits(kind, entry)) break
    }
    const fits = this.#guard.fits(kind, entry)
    for (const back of leaving) this.#guard.add(back.kind, back.entry)
    return fits ? leaving : undefined
  }

  #leave(candidate: Candidate): void {
    this.#guard.remove(candidate.kind, candidate.entry)
    this.#of(candidate.kind).delete(candidate.entry.exposed)
    this.#activated.delete(keyOf(candidate))
  }

  #evictWhile(tooMuch: () => boolean): void {
    for (const candidate of this.#leastFirst()) {
      if (!tooMuch()) return
      this.#leave(candidate)
    }
  }

  /**
   * Listed tools that were never called, the least valuable first; of equal ones the last in the list, since a change near its end
   * keeps most of a prompt cache. Those that a search brought in come after all others, the oldest first, then pins. Where no tool can
   * make room, entries of other kinds do that no search brought in.
   */
  #leastFirst(): Candidate[] {
    const { rules, affinity } = this.#options
    const affinityOf = affinity()
    const activated = [...this.#activated]
    const rankOf = (candidate: Candidate) => (this.#isPinned(candidate) ? Infinity : activated.indexOf(keyOf(candidate)))
    const tools = [...this.#of('tools').values()]
      .filter(({ entry }) => !this.#called.has(entry.exposed))
      .map((candidate, place) => {
        const [server, tool] = [candidate.server.name, candidate.entry.key]
        return { candidate, place, rank: rankOf(candidate), value: rules.usageOf(server, tool) + affinityOf(server, tool) }
      })
      .sort((a, b) => compare(a.rank, b.rank) || a.value - b.value || b.place - a.place)
      .map(({ candidate }) => candidate)
    const companions = COMPANIONS.flatMap((kind) => [...this.#of(kind).values()])
    return [...tools, ...companions.filter((candidate) => !this.#activated.has(keyOf(candidate))).reverse()]
  }

  #isPinned(candidate: Candidate): boolean {
    return this.#pins.some((pin) => pin.fits(candidate))
  }
}

// --- internal ---

/** Of a ceiling, the most that an entry may take for which others would have to leave. */
const MOST_FOR_ONE = 0.25

function keyOf({ kind, entry }: Candidate): string {
  return `${kind} ${entry.exposed}`
}

/** Infinity minus itself would be no number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}
