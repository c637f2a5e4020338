/** What servers send of their own accord, and how it reaches the client. */

import { BoundedMap } from '../base/bounded-map.js'
import type { Logger } from '../base/logger.js'
import type { UriTable } from '../catalog/uris.js'
import type { Naming } from '../config/config.js'
import type { ListKind } from '../protocol/compute-api.js'
import { notificationFrame, parseJson, requestFrame } from '../protocol/frame.js'
import type { Incoming, JsonRpcId, JsonRpcNotification, JsonRpcRequest } from '../protocol/messages.js'
import type { Upstream, UpstreamListener, UpstreamState } from '../upstream/upstream.js'
import type { Call, CallTable } from './call.js'
import type { ListChanges } from './list-changes.js'
import { withOutwardTaskIds } from './outward-task-ids.js'
import type { RequestKey } from './port.js'
import { paramText, withParams } from './relay-frame.js'
import type { ServerRequests } from './server-requests.js'
import type { TaskTable } from './task-table.js'

interface InboxOptions {
  readonly calls: CallTable
  readonly requests: ServerRequests
  readonly changes: ListChanges
  readonly uris: UriTable
  readonly tasks: TaskTable
  readonly naming: Naming
  readonly push: (frame: Uint8Array, about?: RequestKey) => void
  readonly logLevel: () => JsonRpcId | undefined
  readonly logger: Logger
}

type NotificationHandler = (upstream: Upstream, incoming: Incoming<JsonRpcNotification>) => void

/** States in which it no longer waits for the client's answers. */
const GONE: ReadonlySet<UpstreamState> = new Set(['idle', 'down', 'stopped'])
/** Progress tokens of tasks live on after the answer that named the task. */
const LINGERING_TOKENS = 1_000
const TASK_STATUS = 'notifications/tasks/status'

export class UpstreamInbox implements UpstreamListener {
  readonly #options: InboxOptions
  #landed = true
  readonly #subscriptions = new Map<Upstream, Set<string>>()
  /** Lists that servers have given at least once. */
  readonly #known = new Set<string>()
  readonly #lingering = new BoundedMap<string, string>(LINGERING_TOKENS)
  readonly #handlers: ReadonlyMap<string, NotificationHandler> = new Map([
    ['notifications/progress', (upstream, incoming) => this.#progress(upstream, incoming)],
    ['notifications/cancelled', (upstream, incoming) => this.#cancelled(upstream, incoming)],
    ['notifications/message', (upstream, incoming) => this.#message(upstream, incoming)],
    ['notifications/resources/updated', (upstream, incoming) => this.#updated(upstream, incoming)],
  ])

  constructor(options: InboxOptions) {
    this.#options = options
  }

  stateChanged(upstream: Upstream): void {
    if (upstream.state === 'ready') this.#remind(upstream)
    if (!GONE.has(upstream.state)) return
    this.#options.requests.forget(upstream, (requestId) =>
      notificationFrame('notifications/cancelled', { requestId, reason: `server "${upstream.server.name}" is gone` }),
    )
  }

  listChanged(upstream: Upstream, kind: ListKind): void {
    this.#landed = true
    const list = `${upstream.server.alias}\0${kind}`
    this.#options.changes.changed(kind, !this.#known.has(list))
    this.#known.add(list)
  }

  request(upstream: Upstream, incoming: Incoming<JsonRpcRequest>): void {
    const frame = this.#withTaskIds(upstream, incoming.frame)
    this.#options.requests.forward(upstream, { ...incoming, frame }, this.#causeOf(upstream, incoming))
  }

  notification(upstream: Upstream, received: Incoming<JsonRpcNotification>): void {
    // A task may be spoken of before the answer that makes it known.
    const id = received.message.method === TASK_STATUS ? paramOf(received, 'taskId') : undefined
    if (typeof id === 'string') this.#options.tasks.expose({ upstream, id, candidate: undefined })
    const incoming = { ...received, frame: this.#withTaskIds(upstream, received.frame) }
    const handler = this.#handlers.get(incoming.message.method)
    if (handler) handler(upstream, incoming)
    else this.#options.push(incoming.frame, this.#causeOf(upstream, incoming)?.key)
  }

  /** Whether a list has landed since this was last asked. At first it says yes: shared servers may have been there before. */
  takeLanded(): boolean {
    const landed = this.#landed
    this.#landed = false
    return landed
  }

  subscribed(upstream: Upstream, uri: string, on: boolean): void {
    const uris = this.#subscriptions.get(upstream) ?? new Set()
    if (on) uris.add(uri)
    else uris.delete(uri)
    this.#subscriptions.set(upstream, uris)
  }

  /** Keeps a call's progress token after its answer, for the task that goes on. */
  linger(upstream: Upstream, id: number, clientToken: string): void {
    this.#lingering.set(tokenKey(upstream, id), clientToken)
  }

  // --- internal ---

  /** A server that starts, or starts anew, knows nothing of the log level and subscriptions that the client has asked for. */
  #remind(upstream: Upstream): void {
    const { logLevel, logger } = this.#options
    const level = logLevel()
    if (level !== undefined && upstream.facts && 'logging' in upstream.facts.capabilities) {
      tell(upstream, 'logging/setLevel', { level }, logger)
    }
    for (const uri of this.#subscriptions.get(upstream) ?? []) tell(upstream, 'resources/subscribe', { uri }, logger)
  }

  /** Only a server some of whose tasks the client knows under another id needs its messages looked through. */
  #withTaskIds({ server }: Upstream, frame: Uint8Array): Uint8Array {
    const { tasks } = this.#options
    return tasks.hasMapped(server.alias) ? withOutwardTaskIds(frame, (id) => tasks.outward(server.alias, id)) : frame
  }

  /** The client's request that a message belongs to: the one on whose stream it came, else the newest as the best guess. */
  #causeOf(upstream: Upstream, { about }: Incoming): Call | undefined {
    const { calls } = this.#options
    return typeof about === 'number' ? calls.relayedAs(upstream, about) : calls.newestOn(upstream)
  }

  #progress(upstream: Upstream, incoming: Incoming<JsonRpcNotification>): void {
    const { frame } = incoming
    const id = paramOf(incoming, 'progressToken')
    if (typeof id !== 'number') return
    upstream.touch(id)
    const call = this.#options.calls.relayedAs(upstream, id)
    const token = call ? call.clientToken : this.#lingering.get(tokenKey(upstream, id))
    if (token === undefined) return
    this.#options.push(withParams(frame, [{ path: ['progressToken'], json: token }]), call?.key)
  }

  #cancelled(upstream: Upstream, incoming: Incoming<JsonRpcNotification>): void {
    this.#options.requests.cancelled(upstream, incoming.frame, paramOf(incoming, 'requestId') as JsonRpcId | undefined)
  }

  #message(upstream: Upstream, incoming: Incoming<JsonRpcNotification>): void {
    const { naming, push } = this.#options
    const { frame } = incoming
    const about = this.#causeOf(upstream, incoming)?.key
    const logger = naming === 'bare' ? undefined : paramOf(incoming, 'logger')
    const own = typeof logger !== 'string'
    push(
      own ? frame : withParams(frame, [{ path: ['logger'], json: JSON.stringify(`${upstream.server.alias}/${logger}`) }]),
      about,
    )
  }

  #updated(upstream: Upstream, incoming: Incoming<JsonRpcNotification>): void {
    const { frame } = incoming
    const uri = paramOf(incoming, 'uri')
    const exposed = typeof uri === 'string' ? this.#options.uris.outward(upstream.server.alias, uri) : uri
    if (exposed === uri) this.#options.push(frame)
    else this.#options.push(withParams(frame, [{ path: ['uri'], json: JSON.stringify(exposed) }]))
  }
}

/** Asks an upstream something for the gateway itself; a refusal is logged. */
function tell(upstream: Upstream, method: string, params: object, logger: Logger): void {
  upstream.request((id) => requestFrame(id, method, params), {
    answer: () => undefined,
    fail: (error) => logger.warn('not taken', { server: upstream.server.name, method, error: error.detail }),
  })
}

// --- internal ---

/** A scalar of the params; of a large frame, which was not parsed, it is read off the bytes. */
function paramOf({ frame, message }: Incoming<JsonRpcNotification>, name: string): unknown {
  if (message.params) return message.params[name]
  const json = paramText(frame, [name])
  return json === undefined ? undefined : parseJson(Buffer.from(json))
}

function tokenKey(upstream: Upstream, id: number): string {
  return `${upstream.server.alias}\0${id}`
}
