/** What servers send of their own accord, and how it reaches the client. */

import { BoundedMap } from '../base/bounded-map.js'
import type { UriTable } from '../catalog/uris.js'
import type { Naming } from '../config/config.js'
import type { ListKind } from '../protocol/compute-api.js'
import { notificationFrame, parseJson } from '../protocol/frame.js'
import type { Incoming, JsonRpcId, JsonRpcNotification, JsonRpcRequest } from '../protocol/messages.js'
import type { Upstream, UpstreamListener, UpstreamState } from '../upstream/upstream.js'
import type { Call, CallTable } from './call.js'
import { isElicitation, withOutwardElicitation } from './outward-elicitation-ids.js'
import type { OutwardIds } from './outward-ids.js'
import { withOutwardTaskIds } from './outward-task-ids.js'
import type { RequestKey } from './port.js'
import { paramText, withParams } from './relay-frame.js'
import { noteStatus } from './running-tasks.js'
import type { ServerRequests } from './server-requests.js'
import type { TaskTable } from './task-table.js'

interface InboxOptions {
  readonly calls: CallTable
  readonly requests: ServerRequests
  readonly uris: UriTable
  readonly tasks: TaskTable
  readonly elicitations: OutwardIds
  readonly naming: Naming
  readonly push: (frame: Uint8Array, about?: RequestKey) => void
  /** A list has landed (`isFirst`) or changed. */
  readonly landed: (kind: ListKind, isFirst: boolean) => void
}

type NotificationHandler = (upstream: Upstream, incoming: Incoming<JsonRpcNotification>) => void

/** States in which it no longer waits for the client's answers. */
const GONE: ReadonlySet<UpstreamState> = new Set(['idle', 'needs-login', 'down', 'stopped'])
/** Progress tokens of tasks live on after the answer that named the task. */
const LINGERING_TOKENS = 1_000
const TASK_STATUS = 'notifications/tasks/status'

export class UpstreamInbox implements UpstreamListener {
  readonly #options: InboxOptions
  #landed = true
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
    if (!GONE.has(upstream.state)) return
    this.#options.requests.forget(upstream, (requestId) =>
      notificationFrame('notifications/cancelled', { requestId, reason: `server "${upstream.server.name}" is gone` }),
    )
  }

  listChanged(upstream: Upstream, kind: ListKind): void {
    this.#landed = true
    const list = `${upstream.server.alias}\0${kind}`
    const isFirst = !this.#known.has(list)
    this.#known.add(list)
    this.#options.landed(kind, isFirst)
  }

  request(upstream: Upstream, incoming: Incoming<JsonRpcRequest>): void {
    const frame = this.#outward(upstream, incoming)
    this.#options.requests.forward(upstream, { ...incoming, frame }, this.#causeOf(upstream, incoming))
  }

  notification(upstream: Upstream, received: Incoming<JsonRpcNotification>): void {
    // A task may be spoken of before the answer that makes it known.
    const id = received.message.method === TASK_STATUS ? paramOf(received, 'taskId') : undefined
    if (typeof id === 'string') {
      this.#options.tasks.expose({ upstream, id, candidate: undefined })
      noteStatus(upstream, this, { id, status: paramOf(received, 'status') })
    }
    const incoming = { ...received, frame: this.#outward(upstream, received) }
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

  /** Keeps a call's progress token after its answer, for the task that goes on. */
  linger(upstream: Upstream, id: number, clientToken: string): void {
    this.#lingering.set(tokenKey(upstream, id), clientToken)
  }

  // --- internal ---

  /** Under the client's ids. Only a server some of whose tasks the client knows under another id needs all its messages looked through. */
  #outward({ server: { alias } }: Upstream, { frame, message }: Incoming<JsonRpcNotification>): Uint8Array {
    const { tasks, elicitations } = this.#options
    const own = tasks.hasMapped(alias) ? withOutwardTaskIds(frame, (id) => tasks.outward(alias, id)) : frame
    return isElicitation(message.method) ? withOutwardElicitation(own, (id) => elicitations.expose(alias, id)) : own
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
    if (isShared(upstream) && !upstream.orders.hears(this, paramOf(incoming, 'level'))) return
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
    if (isShared(upstream) && typeof uri === 'string' && !upstream.orders.reaches(this, uri)) return
    const exposed = typeof uri === 'string' ? this.#options.uris.outward(upstream.server.alias, uri) : uri
    if (exposed === uri) this.#options.push(frame)
    else this.#options.push(withParams(frame, [{ path: ['uri'], json: JSON.stringify(exposed) }]))
  }
}

// --- internal ---

/** What it sends may be for other sessions. A server of the session's own is taken at its word. */
function isShared({ server }: Upstream): boolean {
  return server.instances === 'shared'
}

/** A scalar of the params; of a large frame, which was not parsed, it is read off the bytes. */
function paramOf({ frame, message }: Incoming<JsonRpcNotification>, name: string): unknown {
  if (message.params) return message.params[name]
  const json = paramText(frame, [name])
  return json === undefined ? undefined : parseJson(Buffer.from(json))
}

function tokenKey(upstream: Upstream, id: number): string {
  return `${upstream.server.alias}\0${id}`
}
