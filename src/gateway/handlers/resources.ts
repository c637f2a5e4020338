/** Resources: read from their owner, or from the index for `sluice://response/…`. */
import { NAME_SEPARATOR } from '../../catalog/names.js'
import type { UriOwner } from '../../catalog/uris.js'
import { findMember } from '../../protocol/json-spans.js'
import { RPC } from '../../protocol/messages.js'
import type { Upstream } from '../../upstream/upstream.js'
import type { Call } from '../call.js'
import type { Candidate, ResponseIndex } from '../response-index.js'
import { RpcError } from '../rpc-error.js'
import { SERVERS_URI, serversResource } from '../servers-resource.js'
import type { Answer, Handler, RelayOptions, SessionContext } from '../session-context.js'
import { firstAttempts } from './await-owner.js'

export const RESPONSE_URI = 'sluice://response/'
const MAX_LABEL_NAME = 60

export const readResource: Handler = (context, call) => {
  const uri = uriOf(call)
  if (uri === SERVERS_URI) return serversResource(context)
  if (context.index && uri.startsWith(RESPONSE_URI)) return readOriginal(context.index, call, uri)
  return relayByUri(context, call, uri)
}

/** `resources/subscribe` and `resources/unsubscribe`: the server is told its own URI. */
export const subscription: Handler = (context, call) => relayByUri(context, call, uriOf(call))

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
  const options: RelayOptions = {
    candidate,
    ...(otherwise && { otherwise }),
    // Kept once the server has agreed: one that starts for this call must not be told twice.
    ...(call.method !== 'resources/read' && {
      observe: (frame) => {
        if (!findMember(frame, 0, 'error')) context.subscribed(upstream, owner.uri, call.method === 'resources/subscribe')
      },
    }),
  }
  if (owner.uri === call.params['uri']) return context.relay(call, upstream, options)
  return context.relay(call, upstream, { ...options, params: [{ path: ['uri'], value: owner.uri }] })
}

async function readOriginal(index: ResponseIndex, call: Call, uri: string): Promise<Answer> {
  const answer = await index.original(decoded(uri.slice(RESPONSE_URI.length)), uri, call.signal)
  if (answer.kind === 'contents') return answer.json
  throw new RpcError(RPC.resourceNotFound, `Resource not found: ${answer.reason}`, { uri })
}

/** A label made of the server and the last part of the URI, in characters that every client keeps. */
function resourceCandidate(context: SessionContext, owner: UriOwner): Candidate | undefined {
  const { responses } = context.config.settings
  if (!context.index || !responses.resources) return undefined
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
