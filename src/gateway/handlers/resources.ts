/** Resources: read from their owner, or from the index for `sluice://response/…`. */
import { NAME_SEPARATOR } from '../../catalog/names.js'
import type { UriOwner } from '../../catalog/uris.js'
import { isResult } from '../../protocol/frame.js'
import { RPC } from '../../protocol/messages.js'
import type { Upstream } from '../../upstream/upstream.js'
import type { Call } from '../call.js'
import type { Candidate, ContextIndex } from '../context-index.js'
import { RESPONSE_URI } from '../own-entries.js'
import { RpcError } from '../rpc-error.js'
import { SERVERS_URI, serversResource } from '../servers-resource.js'
import type { Answer, Handler, RelayOptions, SessionContext } from '../session-context.js'
import { STATS_URI, statsResource } from '../stats-resource.js'
import { firstAttempts } from './await-owner.js'

const MAX_LABEL_NAME = 60

export const readResource: Handler = (context, call) => {
  const uri = uriOf(call)
  if (uri === SERVERS_URI) return serversResource(context)
  if (uri === STATS_URI) return statsResource(context)
  if (context.index && uri.startsWith(RESPONSE_URI)) return readOriginal(context.index, call, uri)
  return relayByUri(context, call, uri)
}

/** A server that sessions share may be told more than once: it counts once. */
export const subscribe: Handler = (context, call) => relayByUri(context, call, uriOf(call))

/** The server is told when no other session is subscribed any more. */
export const unsubscribe: Handler = (context, call) => {
  const { upstreams, holder } = context
  const uri = uriOf(call)
  const owner = ownerOfUri(context, uri)
  const asked = owner ?? { alias: undefined, uri }
  const servers = upstreams.all().filter(({ server }) => asked.alias === undefined || asked.alias === server.alias)
  const [held] = servers.filter(({ orders }) => orders.unsubscribe(holder, asked.uri))
  if (servers.some(({ orders }) => orders.holds(asked.uri))) return '{}'
  return held ? relayTo(context, call, { alias: held.server.alias, uri: asked.uri }) : relayByUri(context, call, uri)
}

/** The owner of a URI: as listed, or because only one server has resources. */
export function ownerOfUri(context: SessionContext, uri: string): UriOwner | undefined {
  context.settleNames()
  const known = context.uris.resolve(uri)
  if (known) return known
  const [only, ...others] = withResources(context)
  return only && others.length === 0 ? { alias: only.server.alias, uri } : undefined
}

// --- internal ---

function withResources(context: SessionContext): Upstream[] {
  return context.upstreams.all().filter((upstream) => upstream.facts && 'resources' in upstream.facts.capabilities)
}

function relayByUri(context: SessionContext, call: Call, uri: string): Answer | Promise<Answer> {
  const owner = ownerOfUri(context, uri)
  if (owner) return relayTo(context, call, owner)
  return firstAttempts(context).then(() => {
    const late = ownerOfUri(context, uri)
    return late ? relayTo(context, call, late) : askAll(context, call, uri)
  })
}

/** A URI need not be listed, it may stand in a link only: the first server that knows it answers. Those that run may have sent the link. */
function askAll(context: SessionContext, call: Call, uri: string): undefined {
  const asked = withResources(context).toSorted((a, b) => Number(b.state === 'ready') - Number(a.state === 'ready'))
  const [first, ...others] = asked.map((upstream): UriOwner => ({ alias: upstream.server.alias, uri }))
  if (!first) throw new RpcError(RPC.resourceNotFound, `Resource not found: ${uri}`, { uri })
  const ask = (owner: UriOwner, left: readonly UriOwner[]): void => {
    const [next, ...rest] = left
    relayTo(context, call, owner, next && (() => ask(next, rest)))
  }
  ask(first, others)
}

function relayTo(context: SessionContext, call: Call, owner: UriOwner, otherwise?: () => void): Answer {
  const upstream = context.upstreams.byAlias(owner.alias)
  if (!upstream) throw new RpcError(RPC.resourceNotFound, `Resource not found: there is no server "${owner.alias}"`)
  const candidate = call.method === 'resources/read' ? resourceCandidate(context, owner) : undefined
  const observe = observerOf(context, call, { orders: upstream.orders, uri: owner.uri })
  const options: RelayOptions = { candidate, ...(observe && { observe }), ...(otherwise && { otherwise }) }
  if (owner.uri === call.params['uri']) return context.relay(call, upstream, options)
  return context.relay(call, upstream, { ...options, params: [{ path: ['uri'], value: owner.uri }] })
}

/** Notes a subscription before it is told, so that no other session ends it meanwhile, and takes it back if it is refused. */
function observerOf(context: SessionContext, call: Call, of: { orders: Upstream['orders']; uri: string }) {
  const { orders, uri } = of
  if (call.over || call.method === 'resources/read') return undefined
  if (call.method === 'resources/unsubscribe') return () => orders.mend(uri)
  const isNew = orders.subscribe(context.holder, uri)
  return (frame: Uint8Array | undefined) => {
    if (isNew && !(frame && isResult(frame))) orders.unsubscribe(context.holder, uri)
  }
}

async function readOriginal(index: ContextIndex, call: Call, uri: string): Promise<Answer> {
  call.own = 'read'
  const answer = await index.original(decoded(uri.slice(RESPONSE_URI.length)), uri, call.signal)
  if (answer.kind === 'contents') return answer.json
  throw new RpcError(RPC.resourceNotFound, `Resource not found: ${answer.reason}`, { uri })
}

/** A label made of the server and the last part of the URI, in characters that every client keeps. */
function resourceCandidate(context: SessionContext, owner: UriOwner): Candidate | undefined {
  const { responses } = context.settings
  if (!responses.enabled || !responses.resources) return undefined
  const last = owner.uri.split(/[/?#]/).findLast((part) => part !== '') ?? 'resource'
  const name = last.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, MAX_LABEL_NAME)
  return { kind: 'resource', labelBase: `${owner.alias}${NAME_SEPARATOR}${name}`, thresholdBytes: responses.thresholdBytes }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function uriOf(call: Call): string {
  const uri = call.params['uri']
  if (typeof uri !== 'string') throw new RpcError(RPC.invalidParams, 'uri: the URI of a resource is missing')
  return uri
}
