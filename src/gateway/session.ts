/** One client's session: its messages dispatched, its servers and its index owned, everything ended with it. */
import type { Logger } from '../base/logger.js'
import type { NameTable } from '../catalog/names.js'
import { UriTable } from '../catalog/uris.js'
import type { GatewayConfig, Settings } from '../config/config.js'
import { errorFrame, rawResultFrame } from '../protocol/frame.js'
import {
  asRecord,
  type Incoming,
  isNotification,
  isRequest,
  isResponse,
  type JsonRpcRequest,
  RPC,
} from '../protocol/messages.js'
import type { ClientFacts, Upstream, UpstreamListener } from '../upstream/upstream.js'
import type { UpstreamSet } from '../upstream/upstream-set.js'
import type { AuditJournal } from './audit-journal.js'
import { Call, CallTable } from './call.js'
import { type CallAudit, createCallAudit } from './call-audit.js'
import { clientNotification } from './client-notifications.js'
import { type ClientView, type ClientViewDeps, createClientView } from './client-view.js'
import type { ContextIndex } from './context-index.js'
import { EarlyMessages } from './early-messages.js'
import { ListChanges } from './list-changes.js'
import { ALWAYS_ALLOWED, handlerOf } from './method-table.js'
import type { OutputDiet } from './output-diet.js'
import { OutwardIds } from './outward-ids.js'
import type { ClientPort, ClientSession, SessionFacts } from './port.js'
import { Relay } from './relay.js'
import { paramText } from './relay-frame.js'
import { ServerRequests } from './server-requests.js'
import type { SessionCatalog } from './session-catalog.js'
import type { Answer, RelayOptions, SessionContext } from './session-context.js'
import { type TaskOwner, TaskTable } from './task-table.js'
import type { ToolFilters } from './tool-filters.js'
import { UpstreamInbox } from './upstream-inbox.js'

export interface SessionDeps extends ClientViewDeps {
  readonly config: GatewayConfig
  readonly version: string
  readonly logger: Logger
  readonly diet: OutputDiet
  /** Undefined: nothing is recorded. */
  readonly audit: AuditJournal | undefined
  /** The session's servers, for this client. */
  readonly openUpstreams: (client: ClientFacts, listener: UpstreamListener) => UpstreamSet
  /** Called once, when the session has ended. */
  readonly onClosed: (session: Session) => void
}

export class Session implements ClientSession, SessionContext {
  readonly id: string
  readonly config: GatewayConfig
  readonly version: string
  readonly uris = new UriTable()
  readonly tasks = new TaskTable()
  readonly changes: ListChanges
  readonly serverRequests: ServerRequests
  readonly audit: CallAudit | undefined
  client: ClientFacts | undefined
  readonly #deps: SessionDeps
  readonly #clientName: string | undefined
  readonly #port: ClientPort
  readonly #calls: CallTable
  readonly #relay: Relay
  readonly #inbox: UpstreamInbox
  readonly #early: EarlyMessages
  #upstreams: UpstreamSet | undefined
  #view: ClientView | undefined
  #closing: Promise<void> | undefined

  constructor(deps: SessionDeps, facts: SessionFacts, port: ClientPort) {
    const { config } = deps
    this.#deps = deps
    this.#port = port
    this.id = facts.id
    this.#clientName = facts.clientName
    this.config = config
    this.version = deps.version
    this.#early = new EarlyMessages((frame, about) => this.#port.push(frame, about))
    const push: ClientPort['push'] = (frame, about) => this.#push(frame, about)
    this.changes = new ListChanges(push)
    this.serverRequests = new ServerRequests({ push, capabilities: () => this.client?.capabilities ?? {} })
    const elicitations = new OutwardIds()
    this.audit = createCallAudit(deps.audit, this)
    this.#calls = new CallTable((call) => this.audit?.ended(call, undefined))
    this.#relay = new Relay({
      port,
      calls: this.#calls,
      audit: this.audit,
      index: () => this.#view?.index,
      diet: deps.diet,
      uris: this.uris,
      tasks: this.tasks,
      elicitations,
      settleNames: () => this.settleNames(),
      redact: config.redact,
    })
    this.#inbox = new UpstreamInbox({
      calls: this.#calls,
      requests: this.serverRequests,
      uris: this.uris,
      tasks: this.tasks,
      elicitations,
      naming: config.settings.naming,
      push,
      landed: (kind, isFirst) => this.#view?.catalog.landed(kind, isFirst),
    })
  }

  get settings(): Settings {
    return this.#seen.settings
  }

  get tools(): NameTable {
    return this.#seen.names.tools
  }

  get prompts(): NameTable {
    return this.#seen.names.prompts
  }

  get index(): ContextIndex | undefined {
    return this.#view?.index
  }

  get catalog(): SessionCatalog {
    return this.#seen.catalog
  }

  get filters(): ToolFilters {
    return this.#seen.filters
  }

  get busy(): boolean {
    return this.#calls.size > 0
  }

  get holder(): object {
    return this.#inbox
  }

  get upstreams(): UpstreamSet {
    if (!this.#upstreams) throw new Error('the session is not initialized')
    return this.#upstreams
  }

  receive(incoming: Incoming): void {
    if (this.#closing !== undefined) return
    const { message } = incoming
    this.#early.heard(message)
    if (isRequest(message)) this.#request(incoming as Incoming<JsonRpcRequest>)
    else if (isNotification(message)) clientNotification(this, this.#calls, { frame: incoming.frame, message })
    else if (isResponse(message)) this.serverRequests.answer({ frame: incoming.frame, message })
  }

  begin(client: ClientFacts): Promise<void> {
    this.client = client
    const upstreams = this.#deps.openUpstreams(client, this.#inbox)
    this.#upstreams = upstreams
    this.#view = createClientView(this.#deps, client, {
      uris: this.uris,
      changes: this.changes,
      upstreams: () => upstreams.all(),
      knownAs: this.#clientName,
    })
    // What is ready before the first list does not make it wait.
    void Promise.all(upstreams.all().map(({ firstAttempt }) => firstAttempt)).then(() => this.catalog.ready())
    return upstreams.startAll()
  }

  settleNames(): void {
    if (!this.#inbox.takeLanded()) return
    const { names, filters } = this.#seen
    names.settle(this.upstreams.all(), (upstream, tool) => filters.allows(upstream.server, tool))
  }

  relay(call: Call, upstream: Upstream, options: RelayOptions = {}): undefined {
    this.#relay.send(call, upstream, options)
  }

  keepTask(call: Call, owner: TaskOwner): void {
    this.tasks.expose(owner)
    if (call.upstream && call.clientToken !== undefined) this.#inbox.linger(call.upstream, call.upstreamId, call.clientToken)
  }

  /** Cancels what is in flight, then ends the servers and the index. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  // --- internal ---

  get #seen(): ClientView {
    if (!this.#view) throw new Error('the session is not initialized')
    return this.#view
  }

  #request(incoming: Incoming<JsonRpcRequest>): void {
    const call = new Call(incoming)
    const { method } = incoming.message
    if (!this.#calls.add(call)) {
      // Whatever was answered under this id, an error too, the client would take for the answer to the first request, and JSON-RPC has
      // no other way to name the second. So the second is not carried out, and the first one's answer is the only one. (Over HTTP the
      // transport refuses it before it comes here: there the answer's connection tells the two apart.)
      this.#deps.logger.warn('request_id_in_flight', { session: this.id, id: call.key, method })
      return
    }
    if (!this.client && !ALWAYS_ALLOWED.has(method)) {
      const message = `${method} came before initialize`
      this.#relay.answer(call, errorFrame(call.idJson, { code: RPC.invalidRequest, message }))
      return
    }
    const meta = asRecord(incoming.message.params?.['_meta'])
    if (meta && 'progressToken' in meta) call.clientToken = paramText(incoming.frame, ['_meta', 'progressToken'])
    this.#handle(call)
  }

  #handle(call: Call): void {
    try {
      const answer = handlerOf(call.method)(this, call)
      if (answer instanceof Promise) {
        answer.then(
          (settled) => this.#answer(call, settled),
          (error: unknown) => this.#fail(call, error),
        )
      } else this.#answer(call, answer)
    } catch (error) {
      this.#fail(call, error)
    }
  }

  #answer(call: Call, answer: Answer): void {
    if (answer !== undefined) this.#relay.answer(call, rawResultFrame(call.idJson, answer))
  }

  #fail(call: Call, error: unknown): void {
    if (error instanceof TypeError || error instanceof RangeError) {
      this.#deps.logger.error('internal fault', { method: call.method, stack: error.stack })
    }
    this.#relay.fail(call, error)
  }

  #push(frame: Uint8Array, about?: string): void {
    if (this.#closing === undefined) this.#early.push(frame, about)
  }

  async #close(): Promise<void> {
    this.changes.close()
    for (const call of this.#calls.all()) this.#calls.cancel(call, 'the client is gone')
    await Promise.all([this.#upstreams?.stop(), this.index?.close()])
    this.#deps.onClosed(this)
  }
}
