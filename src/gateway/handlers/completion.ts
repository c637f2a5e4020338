/** `completion/complete`: to the owner of the prompt or resource it refers to. */
import { asRecord, RPC } from '../../protocol/messages.js'
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
  context.settleNames()
  const byName = context.prompts.resolve(exposed)
  const byUri = member === 'uri' ? ownerOfUri(context, exposed) : undefined
  const owner =
    member === 'name' ? byName && { alias: byName.alias, own: byName.name } : byUri && { alias: byUri.alias, own: byUri.uri }
  const upstream = owner ? context.upstreams.byAlias(owner.alias) : proxiedServer(context)
  if (!upstream) throw new RpcError(RPC.invalidParams, `ref: no server has "${exposed}"`)
  return context.relay(call, upstream, { params: owner ? [{ path: ['ref', member], value: owner.own }] : [] })
}
