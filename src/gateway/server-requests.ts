/** Requests from servers to the client (sampling, elicitation, roots): ids and progress tokens mapped, answers brought back. */
import { errorFrame, withId } from '../protocol/frame.js'
import { findMember, textOf } from '../protocol/json-spans.js'
import {
  asRecord,
  type Incoming,
  type JsonRpcId,
  type JsonRpcRequest,
  type JsonRpcResponse,
  RPC,
} from '../protocol/messages.js'
import type { Upstream } from '../upstream/upstream.js'
import type { Call } from './call.js'
import type { RequestKey } from './port.js'
import { paramText, withParams } from './relay-frame.js'

interface ServerRequestOptions {
  /** Sends a message to the client, on the stream of its request `about` if there is one. */
  readonly push: (frame: Uint8Array, about?: RequestKey) => void
  /** What the client said it can do. */
  readonly capabilities: () => Readonly<Record<string, unknown>>
}

interface Waiting {
  readonly upstream: Upstream
  readonly idJson: string
  /** JSON text of the progress token the server wants to hear of. */
  readonly token: string | undefined
  /** The client's request on whose stream it went. */
  readonly about: RequestKey | undefined
  /** The id of that request at the server. */
  readonly callId: number | undefined
}

export class ServerRequests {
  readonly #options: ServerRequestOptions
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0

  constructor(options: ServerRequestOptions) {
    this.#options = options
  }

  /** @param cause the client's request that most likely caused it; its time stands still until the client has answered */
  forward(upstream: Upstream, incoming: Incoming<JsonRpcRequest>, cause: Call | undefined): void {
    const { frame, message } = incoming
    const idSpan = findMember(frame, 0, 'id')
    if (!idSpan) return
    const idJson = textOf(frame, idSpan)
    const lack = LACKS.get(message.method)?.(this.#options.capabilities(), message.params ?? {})
    if (lack) {
      const code = lack.includes(' ') ? RPC.invalidParams : RPC.methodNotFound
      upstream.send(errorFrame(idJson, { code, message: `the client does not support ${lack}` }))
      return
    }
    const id = ++this.#lastId
    const token = paramText(frame, ['_meta', 'progressToken'])
    const about = cause?.key
    this.#waiting.set(id, { upstream, idJson, token, about, callId: cause?.upstreamId })
    if (cause) upstream.hold(cause.upstreamId, true)
    const own = token === undefined ? frame : withParams(frame, [{ path: ['_meta', 'progressToken'], json: String(id) }])
    const span = findMember(own, 0, 'id') ?? idSpan
    this.#options.push(withId(own, span, String(id)), about)
  }

  /** The client's answer. False if nothing waits for it. */
  answer(incoming: Incoming<JsonRpcResponse>): boolean {
    const { id } = incoming.message
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined
    const idSpan = findMember(incoming.frame, 0, 'id')
    if (!waiting || !idSpan) return false
    this.#waiting.delete(id as number)
    this.#release(waiting)
    waiting.upstream.send(withId(incoming.frame, idSpan, waiting.idJson))
    return true
  }

  /** Progress the client reports on a server's request. */
  progress(frame: Uint8Array, token: unknown): void {
    const waiting = typeof token === 'number' ? this.#waiting.get(token) : undefined
    if (waiting?.token === undefined) return
    waiting.upstream.send(withParams(frame, [{ path: ['progressToken'], json: waiting.token }]))
  }

  /** A server takes back its request. */
  cancelled(upstream: Upstream, frame: Uint8Array, requestId: JsonRpcId | undefined): void {
    const idJson = JSON.stringify(requestId)
    for (const [id, waiting] of this.#waiting) {
      if (waiting.upstream !== upstream || waiting.idJson !== idJson) continue
      this.#waiting.delete(id)
      this.#release(waiting)
      this.#options.push(withParams(frame, [{ path: ['requestId'], json: String(id) }]), waiting.about)
      return
    }
  }

  /** A server is gone: what it asked is taken back from the client. */
  forget(upstream: Upstream, cancelFrame: (id: number) => Uint8Array): void {
    for (const [id, waiting] of this.#waiting) {
      if (waiting.upstream !== upstream) continue
      this.#waiting.delete(id)
      this.#options.push(cancelFrame(id), waiting.about)
    }
  }

  // --- internal ---

  /** The call's time goes on when the client owes its server nothing more. */
  #release({ upstream, callId }: Waiting): void {
    if (callId === undefined) return
    const owes = [...this.#waiting.values()].some((other) => other.upstream === upstream && other.callId === callId)
    if (!owes) upstream.hold(callId, false)
  }
}

// --- internal ---

type Capabilities = Readonly<Record<string, unknown>>
type Params = Readonly<Record<string, unknown>>

/** What a client must be able to do for a request, or what it lacks; other requests go through as they are. */
const LACKS = new Map<string, (client: Capabilities, params: Params) => string | undefined>([
  ['roots/list', ({ roots }) => (asRecord(roots) ? undefined : 'roots')],
  ['sampling/createMessage', ({ sampling }, params) => lackOf(sampling, 'sampling', 'tools' in params ? 'tools' : undefined)],
  ['elicitation/create', ({ elicitation }, { mode }) => lackOf(elicitation, 'elicitation', mode === 'url' ? 'url' : undefined)],
])

function lackOf(capability: unknown, name: string, part: string | undefined): string | undefined {
  const record = asRecord(capability)
  if (!record) return name
  return part === undefined || asRecord(record[part]) ? undefined : `${name} with ${part}`
}
