/** A client's request in flight, and the table of them. */

import type { ResultFacts } from '../protocol/audit-api.js'
import { idSpanOf } from '../protocol/frame.js'
import { textOf } from '../protocol/json-spans.js'
import type { Incoming, JsonRpcId, JsonRpcRequest } from '../protocol/messages.js'
import type { Upstream } from '../upstream/upstream.js'
import type { RequestKey } from './port.js'
import { withParams } from './relay-frame.js'

export class Call {
  readonly key: RequestKey
  /** The id as the client wrote it. */
  readonly idJson: string
  readonly incoming: Incoming<JsonRpcRequest>
  /** JSON text of the progress token the client wants to hear of, if it does. */
  clientToken: string | undefined
  /** Where it was relayed to, and under which id. */
  upstream: Upstream | undefined
  upstreamId = 0
  /** The server's own name of the tool; the method asked for in its place. */
  tool: string | undefined
  /** JSON text of the arguments, where they are not the frame's own. */
  argumentsJson: string | undefined
  /** The gateway itself answers it from its index. */
  own: 'search' | 'read' | undefined
  /** Whose answer it waits for. */
  owner: Upstream | undefined
  /** What the server answered, until it is indexed. */
  received: Uint8Array | undefined
  receivedBytes = 0
  /** What its session's actor has found of the answer. */
  facts: ResultFacts | undefined
  receipt = false
  readonly startedAt = Date.now()
  /** By the clock of `performance`. */
  readonly startedMs = performance.now()
  /** Answered, failed or cancelled: whatever comes now is dropped. */
  over = false
  #abort: AbortController | undefined

  constructor(incoming: Incoming<JsonRpcRequest>) {
    const { id } = incoming.message
    this.incoming = incoming
    this.key = requestKey(id)
    this.idJson = typeof id === 'number' && !Number.isSafeInteger(id) ? rawId(incoming.frame, this.key) : this.key
  }

  get method(): string {
    return this.incoming.message.method
  }

  get params(): Readonly<Record<string, unknown>> {
    return this.incoming.message.params ?? {}
  }

  /** Fires when the client cancels the request or goes. Made on demand: most calls never need one. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.over) this.#abort.abort()
    return this.#abort.signal
  }

  /**
   * Ends it without an answer.
   * @param notice the client's own notification, which the upstream gets in place of one of ours
   */
  cancel(reason: string, notice?: Uint8Array): void {
    if (this.over) return
    this.over = true
    this.#abort?.abort()
    const requestId = { path: ['requestId'], json: String(this.upstreamId) }
    this.upstream?.cancel(this.upstreamId, reason, notice && withParams(notice, [requestId]))
  }
}

export function requestKey(id: JsonRpcId): RequestKey {
  return JSON.stringify(id)
}

/** Calls by the client's id, and by the upstream and id they were relayed under. */
export class CallTable {
  readonly #cancelled: (call: Call) => void
  readonly #byKey = new Map<RequestKey, Call>()
  readonly #byUpstream = new Map<Upstream, Map<number, Call>>()

  /** @param cancelled told of every call that ends without an answer */
  constructor(cancelled: (call: Call) => void) {
    this.#cancelled = cancelled
  }

  get size(): number {
    return this.#byKey.size
  }

  /** False if a request with this id is in flight already. */
  add(call: Call): boolean {
    if (this.#byKey.has(call.key)) return false
    this.#byKey.set(call.key, call)
    return true
  }

  get(key: RequestKey): Call | undefined {
    return this.#byKey.get(key)
  }

  relayed(call: Call, upstream: Upstream, id: number): void {
    if (call.over) return
    call.upstream = upstream
    call.upstreamId = id
    let calls = this.#byUpstream.get(upstream)
    if (!calls) {
      calls = new Map()
      this.#byUpstream.set(upstream, calls)
    }
    calls.set(id, call)
  }

  relayedAs(upstream: Upstream, id: number): Call | undefined {
    return this.#byUpstream.get(upstream)?.get(id)
  }

  /** The newest call in flight on an upstream: the best guess at what caused a message of its own. */
  newestOn(upstream: Upstream): Call | undefined {
    let newest: Call | undefined
    for (const call of this.#byUpstream.get(upstream)?.values() ?? []) newest = call
    return newest
  }

  /** Ends it without an answer; `notice` as of {@link Call.cancel}. */
  cancel(call: Call, reason: string, notice?: Uint8Array): void {
    if (call.over) return
    call.cancel(reason, notice)
    this.remove(call)
    this.#cancelled(call)
  }

  remove(call: Call): void {
    if (this.#byKey.get(call.key) === call) this.#byKey.delete(call.key)
    if (call.upstream) this.#byUpstream.get(call.upstream)?.delete(call.upstreamId)
  }

  all(): Call[] {
    return [...this.#byKey.values()]
  }
}

// --- internal ---

function rawId(frame: Uint8Array, otherwise: string): string {
  const span = idSpanOf(frame)
  return span ? textOf(frame, span) : otherwise
}
