/** `completion/complete`: to the owner of the prompt or resource it refers to; labels of indexed responses come from the index. */
import { asRecord, RPC } from '../../protocol/messages.js'
import type { Call } from '../call.js'
import type { ContextIndex } from '../context-index.js'
import { RESPONSE_TEMPLATE } from '../own-entries.js'
import { RpcError } from '../rpc-error.js'
import type { Answer, Handler, SessionContext } from '../session-context.js'
import { firstAttempts } from './await-owner.js'
import { proxiedServer } from './proxied-server.js'
import { ownerOfUri } from './resources.js'

export const completion: Handler = (context, call) => {
  const named = asRecord(call.params['ref'])
  const member = named?.['type'] === 'ref/prompt' ? 'name' : 'uri'
  const exposed = named?.[member]
  if (typeof exposed !== 'string')
    throw new RpcError(RPC.invalidParams, `ref: the ${member} of what is to be completed is missing`)
  const isOurs = context.settings.responses.enabled && member === 'uri' && exposed === RESPONSE_TEMPLATE
  if (context.index && isOurs) return completeLabel(context.index, call)
  return relayToOwner(context, call, { member, exposed }) ?? relayWhenKnown(context, call, { member, exposed })
}

// --- internal ---

/** Where in `ref` the name or URI of what is completed stands, and the client's form of it. */
interface Reference {
  readonly member: 'name' | 'uri'
  readonly exposed: string
}

/** Undefined: nobody owns it yet. */
function relayToOwner(context: SessionContext, call: Call, { member, exposed }: Reference): Promise<Answer> | undefined {
  context.settleNames()
  const named = member === 'name' ? context.prompts.resolve(exposed) : undefined
  const found = member === 'uri' ? ownerOfUri(context, exposed) : undefined
  const owner = found ? { alias: found.alias, own: found.uri } : named && { alias: named.alias, own: named.name }
  const upstream = owner ? context.upstreams.byAlias(owner.alias) : undefined
  if (!owner || !upstream) return undefined
  return Promise.resolve(context.relay(call, upstream, { params: [{ path: ['ref', member], value: owner.own }] }))
}

async function relayWhenKnown(context: SessionContext, call: Call, ref: Reference): Promise<Answer> {
  await firstAttempts(context)
  const relayed = relayToOwner(context, call, ref)
  if (relayed !== undefined) return relayed
  const only = proxiedServer(context)
  if (only) return context.relay(call, only)
  throw new RpcError(RPC.invalidParams, `ref: no server has "${ref.exposed}"`)
}

/** The protocol's limit. */
const MAX_VALUES = 100

/** Labels that start with the value, newest first. */
async function completeLabel(index: ContextIndex, call: Call): Promise<string> {
  const { name, value } = asRecord(call.params['argument']) ?? {}
  if (name !== 'label') throw new RpcError(RPC.invalidParams, `argument: ${RESPONSE_TEMPLATE} has one, called "label"`)
  if (typeof value !== 'string') throw new RpcError(RPC.invalidParams, 'argument: the value to complete is missing')
  const { labels: values, total } = await index.labels({ prefix: value, limit: MAX_VALUES }, call.signal)
  return JSON.stringify({ completion: { values, total, hasMore: total > values.length } })
}
