/** `completion/complete`: to the owner of the prompt or resource it refers to; labels of indexed responses come from the index. */
import { asRecord, RPC } from '../../protocol/messages.js'
import type { Call } from '../call.js'
import type { ContextIndex } from '../context-index.js'
import { RESPONSE_TEMPLATE } from '../own-entries.js'
import { RpcError } from '../rpc-error.js'
import type { Handler } from '../session-context.js'
import { proxiedServer } from './proxied-server.js'
import { ownerOfUri } from './resources.js'

export const completion: Handler = (context, call) => {
  const ref = asRecord(call.params['ref'])
  const member = ref?.['type'] === 'ref/prompt' ? 'name' : 'uri'
  const exposed = ref?.[member]
  if (typeof exposed !== 'string')
    throw new RpcError(RPC.invalidParams, `ref: the ${member} of what is to be completed is missing`)
  if (context.index && member === 'uri' && exposed === RESPONSE_TEMPLATE) return completeLabel(context.index, call)
  context.settleNames()
  const byName = context.prompts.resolve(exposed)
  const byUri = member === 'uri' ? ownerOfUri(context, exposed) : undefined
  const owner =
    member === 'name' ? byName && { alias: byName.alias, own: byName.name } : byUri && { alias: byUri.alias, own: byUri.uri }
  const upstream = owner ? context.upstreams.byAlias(owner.alias) : proxiedServer(context)
  if (!upstream) throw new RpcError(RPC.invalidParams, `ref: no server has "${exposed}"`)
  return context.relay(call, upstream, { params: owner ? [{ path: ['ref', member], value: owner.own }] : [] })
}

// --- internal ---

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
