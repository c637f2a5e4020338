/** What a session tells the audit log of its calls. It is on the way of every call: it looks, and counts and hashes nothing. */
import { randomBytes } from 'node:crypto'
import { sampleOf } from '../base/text-sample.js'
import { ellipsize, utf8Length } from '../base/utf8.js'
import {
  ANSWERED,
  type CallExtra,
  type CallKind,
  type CallRoute,
  RECEIPT,
  type StatsReport,
  UNANSWERED,
} from '../protocol/audit-api.js'
import type { ListItem } from '../protocol/compute-api.js'
import { LARGE_FRAME } from '../protocol/frame.js'
import type { AuditJournal } from './audit-journal.js'
import type { Call } from './call.js'
import type { SessionContext } from './session-context.js'

export interface CallAudit {
  /** @param sent what the client got; undefined: the call was cancelled, or its client went */
  ended(call: Call, sent: Uint8Array | undefined): void
  /** The sums over all sessions on this machine. Rejects with AUDIT_FILE. */
  stats(): Promise<StatsReport>
}

/** Undefined where nothing is recorded. */
export function createCallAudit(journal: AuditJournal | undefined, context: SessionContext): CallAudit | undefined {
  return journal && new SessionAudit(journal, context)
}

// --- internal ---

const MAX_CLIENT_NAME = 100
const LISTS = new Set(['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])

interface Definitions {
  /** What they were made of. */
  readonly lists: readonly (readonly ListItem[])[]
  readonly bytes: number
  readonly sample: ReturnType<typeof sampleOf>
}

class SessionAudit implements CallAudit {
  readonly #journal: AuditJournal
  readonly #context: SessionContext
  readonly #session = randomBytes(8).toString('hex')
  readonly #routes = new Map<string | null, Map<string | null, CallRoute>>()
  #known: Definitions | undefined

  constructor(journal: AuditJournal, context: SessionContext) {
    this.#journal = journal
    this.#context = context
  }

  ended(call: Call, sent: Uint8Array | undefined): void {
    const kind = kindOf(call)
    if (kind === undefined) return
    // Before `initialize` there are no servers to ask for.
    const isTools = kind === 'list' && call.method === 'tools/list' && sent && this.#context.client
    const definitions = isTools ? this.#definitions() : undefined
    const frame = sent && sent.length > LARGE_FRAME && !call.facts ? whole(call.received) : undefined
    // An answer that its actor has read passed as it came, or a receipt took its place, which is short.
    const isElsewhere = frame !== undefined || (call.facts !== undefined && !call.receipt)
    this.#journal.record({
      route: this.#route(kind, call),
      startedAt: call.startedAt,
      durationMs: performance.now() - call.startedMs,
      requestBytes: call.incoming.frame.length,
      responseBytes: definitions?.bytes ?? call.receivedBytes,
      sentBytes: sent?.length ?? 0,
      asked: call.argumentsJson ?? call.incoming.frame,
      sent: isElsewhere ? undefined : sent,
      outcome: outcomeOf(call, sent),
      extra: extraOf(call, frame, definitions),
    })
  }

  stats(): Promise<StatsReport> {
    return this.#journal.stats()
  }

  // --- internal ---

  /** The same object for calls alike, so that it crosses to the pool once a batch. */
  #route(kind: CallKind, call: Call): CallRoute {
    const server = kind === 'call' || kind === 'request' ? (call.owner?.server.name ?? null) : null
    const tool = call.tool ?? (call.method === 'tools/call' && kind === 'call' ? null : call.method)
    let routes = this.#routes.get(server)
    if (!routes) {
      routes = new Map()
      this.#routes.set(server, routes)
    }
    const key = kind === 'call' ? tool : `${kind} ${tool}`
    let route = routes.get(key)
    if (!route) {
      const { client, config } = this.#context
      const name = ellipsize(String(client?.clientInfo['name'] ?? '').replace(/\p{C}/gu, ' '), MAX_CLIENT_NAME)
      const shown = tool === null ? null : config.redact(tool)
      route = { session: this.#session, client: config.redact(name), server, tool: shown, kind }
      routes.set(key, route)
    }
    return route
  }

  /** What the servers' own lists would put into every request. */
  #definitions(): Definitions {
    const { upstreams, filters } = this.#context
    const lists = upstreams.all().map((upstream) => upstream.list('tools'))
    const known = this.#known
    if (known?.lists.length === lists.length && lists.every((list, at) => list === known.lists[at])) return known
    const entries = upstreams
      .all()
      .flatMap((upstream) => upstream.list('tools').filter(({ key }) => filters.allows(upstream.server, key)))
    const text = `[${entries.map(({ json }) => json).join(',')}]`
    this.#known = { lists, bytes: utf8Length(text), sample: sampleOf([text]) }
    return this.#known
  }
}

/** Undefined for what no line is written of: what the gateway answers of its own accord. */
function kindOf(call: Call): CallKind | undefined {
  if (call.own) return call.own
  if (call.method === 'tools/call') return 'call'
  if (LISTS.has(call.method)) return call.params['cursor'] === undefined ? 'list' : 'page'
  return call.owner && 'request'
}

function outcomeOf({ receipt }: Call, sent: Uint8Array | undefined): number {
  if (sent === undefined) return UNANSWERED
  return receipt ? RECEIPT : ANSWERED
}

/** Undefined for most. */
function extraOf({ facts }: Call, frame: Uint8Array | undefined, definitions: Definitions | undefined): CallExtra | undefined {
  if (!facts && !frame && definitions === undefined) return undefined
  return { ...(facts && { facts }), ...(frame && { frame }), ...(definitions && { definitions: definitions.sample }) }
}

/** The server's own bytes, which nobody needs any more, if no others share their buffer; they can be given away then. */
function whole(received: Uint8Array | undefined): Uint8Array | undefined {
  return received && received.byteLength === received.buffer.byteLength ? received : undefined
}
