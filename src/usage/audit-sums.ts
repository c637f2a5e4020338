/** Sums over lines of the audit log. They add up file by file, so that none is read twice, to the lifetime statistics. */
import type { AuditLine, ServerStats, StatsReport } from '../protocol/audit-api.js'

/** As they are kept beside a file of the log. */
export interface KeptSums {
  readonly version: typeof VERSION
  readonly totals: Totals
  readonly servers: readonly (readonly [server: string, sums: ServerSums])[]
  readonly sessions: readonly (readonly [session: string, sums: SessionSums])[]
}

export class AuditSums {
  readonly #totals: Totals = { ...NOTHING }
  readonly #servers = new Map<string, ServerSums>()
  readonly #sessions = new Map<string, SessionSums>()

  add(line: AuditLine): void {
    const totals = this.#totals
    totals.since = earlier(totals.since, line.ts)
    totals.until = later(totals.until, line.ts)
    totals.estimated ||= line.tokensEstimated
    this.#addSession(line.session, sessionSums(line))
    if (line.kind === 'search' || line.kind === 'read') {
      totals[line.kind === 'search' ? 'searches' : 'reads']++
      totals[line.kind === 'search' ? 'searchTokens' : 'readTokens'] += line.sentTokens
    }
    if (line.kind === 'list') totals.lists++
    const isCall = line.kind === 'call'
    const sums: ServerSums = {
      calls: isCall ? 1 : 0,
      errors: isCall && line.isError ? 1 : 0,
      keptOut: line.receipt ? line.responseTokens : 0,
      receipts: line.receipt ? line.sentTokens : 0,
    }
    addTo(totals, sums)
    if (line.server !== null && (isCall || line.receipt)) this.#addServer(line.server, sums)
  }

  /** Counts lines that could not be read. */
  addDamaged(): void {
    this.#totals.damagedLines++
  }

  /** Adds the sums of what came later. */
  append({ totals, servers, sessions }: KeptSums): void {
    const { since, until, estimated, ...numbers } = totals
    for (const key of Object.keys(numbers) as (keyof typeof numbers)[]) this.#totals[key] += numbers[key]
    this.#totals.since = earlier(this.#totals.since, since)
    this.#totals.until = later(this.#totals.until, until)
    this.#totals.estimated ||= estimated
    for (const [server, sums] of servers) this.#addServer(server, sums)
    for (const [session, sums] of sessions) this.#addSession(session, sums)
  }

  kept(): KeptSums {
    return { version: VERSION, totals: this.#totals, servers: [...this.#servers], sessions: [...this.#sessions] }
  }

  report(): StatsReport {
    const { since, until, calls, errors, searches, reads, lists, keptOut, receipts, damagedLines } = this.#totals
    const seen = [...this.#sessions.values()]
    const definitions = seen.reduce((sum, session) => sum + session.definitions, 0)
    const listed = seen.reduce((sum, session) => sum + session.listed, 0)
    const spent = { receipts, searches: this.#totals.searchTokens, reads: this.#totals.readTokens }
    const net = keptOut + definitions - listed - spent.receipts - spent.searches - spent.reads
    return {
      since,
      until,
      sessions: seen.length,
      calls,
      errors,
      searches,
      reads,
      lists,
      tokens: { keptOut, ...spent, definitions, listed, net },
      tokensEstimated: this.#totals.estimated,
      servers: [...this.#servers].map(serverStats).sort((a, b) => b.calls - a.calls || (a.server < b.server ? -1 : 1)),
      damagedLines,
    }
  }

  // --- internal ---

  #addServer(server: string, sums: ServerSums): void {
    const known = this.#servers.get(server)
    if (known) addTo(known, sums)
    else this.#servers.set(server, { ...sums })
  }

  /** A list takes the place of the one before, a further page adds to it. */
  #addSession(session: string, sums: SessionSums): void {
    const known = this.#sessions.get(session)
    if (!known || sums.begins) this.#sessions.set(session, sums)
    else if (sums.listed > 0) this.#sessions.set(session, { ...known, listed: known.listed + sums.listed })
  }
}

/** What was kept, or undefined if it is none of ours. */
export function parseSums(json: string): KeptSums | undefined {
  try {
    const value = JSON.parse(json) as Partial<KeptSums> | null
    return value?.version === VERSION ? (value as KeptSums) : undefined
  } catch {
    return undefined
  }
}

// --- internal ---

/** To be raised when the sums change: older ones are made anew as long as their lines are there. */
const VERSION = 1

interface ServerSums {
  calls: number
  errors: number
  keptOut: number
  receipts: number
}

interface Totals extends ServerSums {
  since: string | null
  until: string | null
  estimated: boolean
  searches: number
  reads: number
  lists: number
  searchTokens: number
  readTokens: number
  damagedLines: number
}

interface SessionSums {
  /** As its servers have them. */
  readonly definitions: number
  readonly listed: number
  /** Whether a list began, rather than only went on. */
  readonly begins: boolean
}

const NOTHING: Totals = {
  since: null,
  until: null,
  estimated: false,
  calls: 0,
  errors: 0,
  keptOut: 0,
  receipts: 0,
  searches: 0,
  reads: 0,
  lists: 0,
  searchTokens: 0,
  readTokens: 0,
  damagedLines: 0,
}
const NO_LIST: SessionSums = { definitions: 0, listed: 0, begins: false }

/** Only lists of tools stand in a model's context. */
function sessionSums({ kind, tool, responseTokens, sentTokens }: AuditLine): SessionSums {
  if (tool !== 'tools/list') return NO_LIST
  if (kind === 'page') return { definitions: 0, listed: sentTokens, begins: false }
  return kind === 'list' ? { definitions: responseTokens, listed: sentTokens, begins: true } : NO_LIST
}

function addTo(sums: ServerSums, more: ServerSums): void {
  sums.calls += more.calls
  sums.errors += more.errors
  sums.keptOut += more.keptOut
  sums.receipts += more.receipts
}

function serverStats([server, { calls, errors, keptOut, receipts }]: readonly [string, ServerSums]): ServerStats {
  return { server, calls, errors, tokens: { keptOut, receipts, net: keptOut - receipts } }
}

function earlier(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b < a) ? b : a
}

function later(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a
}
