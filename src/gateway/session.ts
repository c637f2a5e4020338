/** One client's session: its messages dispatched, its servers and its index owned, everything ended with it. */
import type { Logger } from '../base/logger.js'
import { NameTable } from '../catalog/names.js'
import { readToolDefinition, searchToolDefinition } from '../catalog/own-tools.js'
import { UriTable } from '../catalog/uris.js'
import type { GatewayConfig } from '../config/config.js'
import type { ListItem, ListKind } from '../protocol/compute-api.js'
import { errorFrame, rawResultFrame } from '../protocol/frame.js'
import {
  asRecord,
  type Incoming,
  isNotification,
  isRequest,
  isResponse,
  type JsonRpcId,
  type JsonRpcRequest,
  RPC,
} from '../protocol/messages.js'
import type { ClientFacts, Upstream, UpstreamListener } from '../upstream/upstream.js'
import type { UpstreamSet } from '../upstream/upstream-set.js'
import { Call, CallTable } from './call.js'
import { clientNotification } from './client-notifications.js'
import { EarlyMessages } from './early-messages.js'
import { ListChanges } from './list-changes.js'
import { LIST_KINDS, ListView } from './list-view.js'
import { ALWAYS_ALLOWED, handlerOf } from './method-table.js'
import type { ClientPort, ClientSession, SessionFacts } from './port.js'
import { Relay } from './relay.js'
import { paramText } from './relay-frame.js'
import type { ResponseIndex } from './response-index.js'
import { ServerRequests } from './server-requests.js'
import type { Answer, RelayOptions, SessionContext } from './session-context.js'
import { type TaskOwner, TaskTable } from './task-table.js'
import { UpstreamInbox } from './upstream-inbox.js'

export interface SessionDeps {
  readonly config: GatewayConfig
  readonly version: string
  readonly logger: Logger
  /** Absent where response indexing is off. */
  readonly index: ResponseIndex | undefined
  /** The session's servers, for this client. */
  readonly openUpstreams: (client: ClientFacts, listener: UpstreamListener) => UpstreamSet
  /** Called once, when the session has ended. */
  readonly onClosed: (session: Session) => void
}

export class Session implements ClientSession, SessionContext {
  readonly id: string
  readonly config: GatewayConfig
  readonly version: string
  readonly index: ResponseIndex | undefined
  readonly tools: NameTable
  readonly prompts: NameTable
  readonly uris = new UriTable()
  readonly tasks = new TaskTable()
  readonly lists: ListView
  readonly changes: ListChanges
  readonly serverRequests: ServerRequests
  client: ClientFacts | undefined
  logLevel: JsonRpcId | undefined
  readonly #deps: SessionDeps
  readonly #port: ClientPort
  readonly #calls = new CallTable()
  readonly #relay: Relay
  readonly #inbox: UpstreamInbox
  readonly #early: EarlyMessages
  #upstreams: UpstreamSet | undefined
  #closing: Promise<void> | undefined

  constructor(deps: SessionDeps, facts: SessionFacts, port: ClientPort) {
    const { config, index, logger } = deps
    this.#deps = deps
    this.#port = port
    this.id = facts.id
    this.config = config
    this.version = deps.version
    this.index = index
    const aliases = config.servers.map((server) => server.alias)
    const { naming, searchTool, readTool } = config.settings
    this.tools = new NameTable({ naming, aliases, reserved: index ? [searchTool, readTool] : [] })
    this.prompts = new NameTable({ naming, aliases, reserved: [] })
    this.lists = new ListView({
      tools: this.tools,
      prompts: this.prompts,
      uris: this.uris,
      withoutOutputSchema: index !== undefined,
      own: index ? ownEntries({ search: searchTool, read: readTool }) : {},
    })
    this.#early = new EarlyMessages((frame, about) => this.#port.push(frame, about))
    const push: ClientPort['push'] = (frame, about) => this.#push(frame, about)
    this.changes = new ListChanges(push)
    this.serverRequests = new ServerRequests({ push, capabilities: () => this.client?.capabilities ?? {} })
    this.#relay = new Relay({
      port,
      calls: this.#calls,
      index,
      uris: this.uris,
      tasks: this.tasks,
      settleNames: () => this.settleNames(),
      redact: config.redact,
    })
    this.#inbox = new UpstreamInbox({
      calls: this.#calls,
      requests: this.serverRequests,
      changes: this.changes,
      uris: this.uris,
      tasks: this.tasks,
      naming,
      push,
      logLevel: () => this.logLevel,
      logger,
    })
  }

  get busy(): boolean {
    return this.#calls.size > 0
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
    this.#upstreams = this.#deps.openUpstreams(client, this.#inbox)
    return this.#upstreams.startAll()
  }

  settleNames(): void {
    if (!this.#inbox.takeLanded()) return
    for (const kind of LIST_KINDS) {
      for (const upstream of this.upstreams.all()) this.lists.entriesOf(upstream, kind)
    }
  }

  relay(call: Call, upstream: Upstream, options: RelayOptions = {}): undefined {
    this.#relay.send(call, upstream, options)
  }

  keepTask(call: Call, owner: TaskOwner): void {
    this.tasks.expose(owner)
    if (call.upstream && call.clientToken !== undefined) this.#inbox.linger(call.upstream, call.upstreamId, call.clientToken)
  }

  subscribed(upstream: Upstream, uri: string, on: boolean): void {
    this.#inbox.subscribed(upstream, uri, on)
  }

  /** Cancels what is in flight, then ends the servers and the index. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  // --- internal ---

  #request(incoming: Incoming<JsonRpcRequest>): void {
    const call = new Call(incoming)
    if (!this.#calls.add(call)) {
      const message = `a request with the id ${call.key} is in flight already`
      this.#port.answer(call.key, errorFrame(call.idJson, { code: RPC.invalidRequest, message }))
      return
    }
    const { method } = incoming.message
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
    for (const call of this.#calls.all()) call.cancel('the client is gone')
    await Promise.all([this.#upstreams?.stop(), this.index?.close()])
    this.#deps.onClosed(this)
  }
}

// --- internal ---

function ownEntries(names: { search: string; read: string }): Readonly<Partial<Record<ListKind, readonly ListItem[]>>> {
  const template = {
    uriTemplate: 'sluice://response/{+label}',
    name: 'indexed-response',
    title: 'Indexed response',
    description: 'The original bytes of a response that was indexed, by its label.',
  }
  return {
    tools: [
      { key: names.search, json: JSON.stringify(searchToolDefinition(names)) },
      { key: names.read, json: JSON.stringify(readToolDefinition(names)) },
    ],
    resourceTemplates: [{ key: template.uriTemplate, json: JSON.stringify(template) }],
  }
}
