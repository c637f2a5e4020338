/** What servers send of their own accord, and how it reaches the client. */

import { BoundedMap } from '../base/bounded-map.js'
import type { Logger } from '../base/logger.js'
import type { UriTable } from '../catalog/uris.js'
import type { Naming } from '../config/config.js'
import type { ListKind } from '../protocol/compute-api.js'
import { notificationFrame, requestFrame } from '../protocol/frame.js'
import type { Incoming, JsonRpcId, JsonRpcNotification, JsonRpcRequest } from '../protocol/messages.js'
import type { Upstream, UpstreamListener } from '../upstream/upstream.js'
import type { CallTable } from './call.js'
import type { ListChanges } from './list-changes.js'
import type { RequestKey } from './port.js'
import { withParams } from './relay-frame.js'
import type { ServerRequests } from './server-requests.js'

interface InboxOptions {
  readonly calls: CallTable
  readonly requests: ServerRequests
  readonly changes: ListChanges
  readonly uris: UriTable
  readonly naming: Naming
  readonly push: (frame: Uint8Array, about?: RequestKey) => void
  readonly logLevel: () => JsonRpcId | undefined
  readonly logger: Logger
}

type NotificationHandler = (upstream: Upstream, incoming: Incoming<JsonRpcNotification>) => void

/** Progress tokens of tasks live on after the answer that named the task. */
const LINGERING_TOKENS = 1_000

export class UpstreamInbox implements UpstreamListener {
  readonly #options: InboxOptions
  #landed = true
  readonly #subscriptions = new Map<Upstream, Set<string>>()
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
    if (upstream.state === 'ready' || upstream.state === 'starting') return
    this.#options.requests.forget(upstream, (requestId) =>
      notificationFrame('notifications/cancelled', { requestId, reason: `server "${upstream.server.name}" is gone` }),
    )
  }

  listChanged(_: Upstream, kind: ListKind): void {
    this.#landed = true
    this.#options.changes.changed(kind)
  }

  request(upstream: Upstream, incoming: Incoming<JsonRpcRequest>): void {
    this.#options.requests.forward(upstream, incoming, this.#options.calls.newestOn(upstream)?.key)
  }

  notification(upstream: Upstream, incoming: Incoming<JsonRpcNotification>): void {
    const handler = this.#handlers.get(incoming.message.method)
    if (handler) handler(upstream, incoming)
    else this.#options.push(incoming.frame, this.#options.calls.newestOn(upstream)?.key)
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

  #progress(upstream: Upstream, { frame, message }: Incoming<JsonRpcNotification>): void {
    const id = message.params?.['progressToken']
    if (typeof id !== 'number') return
    upstream.touch(id)
    const call = this.#options.calls.relayedAs(upstream, id)
    const token = call ? call.clientToken : this.#lingering.get(tokenKey(upstream, id))
    if (token === undefined) return
    this.#options.push(withParams(frame, [{ path: ['progressToken'], json: token }]), call?.key)
  }

  #cancelled(upstream: Upstream, { frame, message }: Incoming<JsonRpcNotification>): void {
    this.#options.requests.cancelled(upstream, frame, message.params?.['requestId'] as JsonRpcId | undefined)
  }

  #message(upstream: Upstream, { frame, message }: Incoming<JsonRpcNotification>): void {
    const { naming, push, calls } = this.#options
    const about = calls.newestOn(upstream)?.key
    const logger = message.params?.['logger']
    const own = naming === 'bare' || typeof logger !== 'string'
    push(
      own ? frame : withParams(frame, [{ path: ['logger'], json: JSON.stringify(`${upstream.server.alias}/${logger}`) }]),
      about,
    )
  }

  #updated(upstream: Upstream, { frame, message }: Incoming<JsonRpcNotification>): void {
    const uri = message.params?.['uri']
    const exposed = typeof uri === 'string' ? this.#options.uris.outward(upstream.server.alias, uri) : uri
    if (exposed === uri) this.#options.push(frame)
    else this.#options.push(withParams(frame, [{ path: ['uri'], json: JSON.stringify(exposed) }]))
  }
}

/** Asks an upstream something for the gateway itself; a refusal is logged. */
export function tell(upstream: Upstream, method: string, params: object, logger: Logger): void {
  upstream.request((id) => requestFrame(id, method, params), {
    answer: () => undefined,
    fail: (error) => logger.warn('not taken', { server: upstream.server.name, method, error: error.detail }),
  })
}

// --- internal ---

function tokenKey(upstream: Upstream, id: number): string {
  return `${upstream.server.alias}\0${id}`
}
