/** A server behind the gateway, supervised: connected, initialised, listed, restarted. What the gateway sees of it. */
import type { SluiceError } from '../base/errors.js'
import type { ServerConfig } from '../config/config.js'
import type { ListItem, ListKind, ListMember } from '../protocol/compute-api.js'
import type { Span } from '../protocol/json-spans.js'
import type { Incoming, JsonRpcNotification, JsonRpcRequest } from '../protocol/messages.js'
import type { StandingOrders } from './standing-orders.js'

/**
 * `idle`: not started yet, or stopped by its idleTimeout; `starting`: connecting, initialising, listing; `ready`: answering;
 * `unreachable`: as ready, but the last request over HTTP did not get there; every further one, and a ping now and then, tries again;
 * `needs-login`: as down, and it waits for `sluice login` in place of its next attempt; `down`: failed, waiting for its next attempt; `stopped`: ended for good.
 */
export type UpstreamState = 'idle' | 'starting' | 'ready' | 'unreachable' | 'needs-login' | 'down' | 'stopped'

/** What the server said in its answer to `initialize`. */
export interface ServerFacts {
  readonly protocolVersion: string
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly serverInfo: Readonly<Record<string, unknown>>
  readonly instructions: string | undefined
  /** What else its answer had: `_meta`, and members nobody knows yet. */
  readonly more: Readonly<Record<string, unknown>>
}

/** Who the server sees: taken from the session's client, or the gateway itself for a shared server. */
export interface ClientFacts {
  readonly protocolVersion: string
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly clientInfo: Readonly<Record<string, unknown>>
  /** What else its `initialize` had. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** The answer to a relayed request: exactly one of the two is called, once. */
export interface AnswerHandler {
  /** A result or error of the server's own, with the place of its id. May be large and unparsed; the buffer may be transferred. */
  answer(frame: Uint8Array, idSpan: Span): void
  /** No answer will come: the server exited, timed out, or was never reached. */
  fail(error: SluiceError): void
}

export interface Upstream {
  readonly server: ServerConfig
  readonly state: UpstreamState
  /** What sessions have asked it to go on doing: told again when it starts anew, and a reason not to stop it for idleness. */
  readonly orders: StandingOrders
  /** What is known of it comes from the cache: it has not answered yet in this process. */
  readonly cached: boolean
  /** Known from the cache or the last good `initialize`; stays while the server is down. */
  readonly facts: ServerFacts | undefined
  /** The last good list; stays while the server is down; empty before the first. */
  list(kind: ListKind): readonly ListItem[]
  /** What its list result has beside the entries (of its first page): `_meta`, and members nobody knows. */
  listMembers(kind: ListKind): readonly ListMember[]
  /** Why lists of it could not be read the last time. */
  readonly listFaults: ReadonlyMap<ListKind, string>
  /** Why it is down, or was last. */
  readonly lastError: SluiceError | undefined
  /** How often it was started, or an HTTP server's session opened, anew. */
  readonly restarts: number
  /** When it was last ready anew, in ms since the epoch; undefined before the first time. */
  readonly startedAt: number | undefined
  /**
   * Takes what the cache has of it, unless it has spoken for itself; it need not be started for its lists then. Asked again, it is the
   * same recollection. Never rejects.
   */
  recall(): Promise<void>
  /** Starts it if it is idle. Returns at once. */
  start(): void
  /**
   * Resolves when it is ready; starts it, or tries at once if it is down. Rejects with the cause when that attempt fails, with
   * ABORTED when the signal fires. Callers at the same time share one attempt.
   */
  ready(signal?: AbortSignal): Promise<void>
  /** Resolves when the first attempt to start is over, well or not, or its catalog was in the cache. Never rejects. */
  readonly firstAttempt: Promise<void>
  /**
   * Sends a request to a ready server under a new id and returns that id (a number, from 1). `frame` makes the bytes for it.
   * If the server is not ready the handler fails at once.
   */
  request(frame: (id: number) => Uint8Array, handler: AnswerHandler): number
  /** Sends a notification, or the answer to a request of the server's. Lost if the server is not ready. */
  send(frame: Uint8Array): void
  /** Forgets a request (its answer will be dropped) and tells the server so: with `notice`, or with a notifications/cancelled of ours. */
  cancel(id: number, reason: string, notice?: Uint8Array): void
  /** Restarts the request's callTimeout; called on its progress. */
  touch(id: number): void
  /** While held, the request's callTimeout does not run: what the server waits for is the client. */
  hold(id: number, held: boolean): void
  stop(): Promise<void>
}

export interface UpstreamListener {
  stateChanged(upstream: Upstream): void
  /** A list is known for the first time or came back different. */
  listChanged(upstream: Upstream, kind: ListKind): void
  /** A request of the server's, `ping` excepted, which is answered by the upstream itself. */
  request(upstream: Upstream, incoming: Incoming<JsonRpcRequest>): void
  /** A notification, list_changed excepted, which shows as `listChanged` after the list was read again. */
  notification(upstream: Upstream, incoming: Incoming<JsonRpcNotification>): void
}
