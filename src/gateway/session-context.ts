/** What a method's handler sees of the session it works for. */
import type { NameTable } from '../catalog/names.js'
import type { UriTable } from '../catalog/uris.js'
import type { DietConfig, GatewayConfig, Settings } from '../config/config.js'
import type { ClientFacts, Upstream } from '../upstream/upstream.js'
import type { UpstreamSet } from '../upstream/upstream-set.js'
import type { Call } from './call.js'
import type { CallAudit } from './call-audit.js'
import type { Candidate, ContextIndex } from './context-index.js'
import type { ListChanges } from './list-changes.js'
import type { OtherRequest, ParamEdit } from './relay-frame.js'
import type { SessionCatalog } from './session-catalog.js'
import type { TaskOwner, TaskTable } from './task-table.js'
import type { ToolFilters } from './tool-filters.js'

/** JSON text of a result; undefined when the request was relayed and is answered by its upstream. */
export type Answer = string | Uint8Array | undefined
export type Handler = (context: SessionContext, call: Call) => Answer | Promise<Answer>

export interface RelayOptions {
  /** Asked in place of the client's own request. */
  readonly request?: OtherRequest
  /** Makes another answer of the upstream's, before it is indexed. */
  readonly reshape?: (frame: Uint8Array) => Uint8Array
  /** Makes another answer of the one that is to go out. */
  readonly amend?: (frame: Uint8Array) => Uint8Array
  readonly params?: readonly ParamEdit[]
  /** What the server's entry asks to be done to the answer, before it is indexed. */
  readonly diet?: DietConfig | undefined
  /** The answer is indexed if it is large. */
  readonly candidate?: Candidate | undefined
  /** Takes the place of an answer that is an error, or of none. */
  readonly otherwise?: () => void
  /** Sees the answer's bytes before they go out; undefined where no answer will come. Not told of a call that was cancelled. */
  readonly observe?: (frame: Uint8Array | undefined) => void
}

export interface SessionContext {
  readonly config: GatewayConfig
  /** Those that hold for this client. From `initialize` on, as all that follows. */
  readonly settings: Settings
  readonly version: string
  readonly tools: NameTable
  readonly prompts: NameTable
  readonly uris: UriTable
  readonly catalog: SessionCatalog
  readonly filters: ToolFilters
  readonly changes: ListChanges
  /** Absent where nothing is recorded. */
  readonly audit: CallAudit | undefined
  /** Absent where neither responses nor the catalog are indexed. */
  readonly index: ContextIndex | undefined
  /** Set by `initialize`. */
  readonly client: ClientFacts | undefined
  /** Empty before `initialize`. */
  readonly upstreams: UpstreamSet
  readonly tasks: TaskTable
  /** Who this session is in its servers' standing orders. */
  readonly holder: object
  /** Starts the session's servers for this client. Resolves when it is known what the cache has of them, and does not wait for the others. */
  begin(client: ClientFacts): Promise<void>
  /**
   * Gives out the names of all lists that have landed, in the order of the configuration. Lists do it for their kind; for a name that
   * is not known yet it is done before looking again. So it does not matter in which order servers land.
   */
  settleNames(): void
  /** Sends the call to an upstream as soon as that is ready; its answer goes to the client. */
  relay(call: Call, upstream: Upstream, options?: RelayOptions): undefined
  /** Remembers who owns a task that the call has started, and the call's progress token, which lives as long as the task. */
  keepTask(call: Call, owner: TaskOwner): void
}
