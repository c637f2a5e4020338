/** `prompts/get`: to the prompt's owner, under its own name. */
import { bareName } from '../../catalog/names.js'
import { RPC } from '../../protocol/messages.js'
import type { Call } from '../call.js'
import type { Candidate } from '../context-index.js'
import { RpcError } from '../rpc-error.js'
import type { Answer, Handler, SessionContext } from '../session-context.js'
import { awaitOwner } from './await-owner.js'
import { proxiedServer } from './proxied-server.js'

export const getPrompt: Handler = (context, call) => {
  const name = call.params['name']
  if (typeof name !== 'string') throw new RpcError(RPC.invalidParams, 'name: the name of a prompt is missing')
  context.settleNames()
  return relay(context, call, name) ?? relayWhenKnown(context, call, name)
}

// --- internal ---

/** Undefined: nobody owns the name yet. */
function relay(context: SessionContext, call: Call, name: string): Promise<Answer> | undefined {
  const owner = context.prompts.resolve(name)
  const upstream = owner && context.upstreams.byAlias(owner.alias)
  if (!owner || !upstream) return undefined
  const params = [{ path: ['name'], value: owner.name }]
  return Promise.resolve(context.relay(call, upstream, { params, candidate: promptCandidate(context, name) }))
}

async function relayWhenKnown(context: SessionContext, call: Call, name: string): Promise<Answer> {
  await awaitOwner(context, call, name)
  const relayed = relay(context, call, name)
  if (relayed !== undefined) return relayed
  const only = proxiedServer(context)
  if (only) return context.relay(call, only, { candidate: promptCandidate(context, bareName(name)) })
  throw new RpcError(RPC.invalidParams, `Unknown prompt "${name}"; prompts/list has the names of all prompts`)
}

function promptCandidate(context: SessionContext, name: string): Candidate | undefined {
  const { responses } = context.settings
  if (!responses.enabled || !responses.prompts) return undefined
  return { kind: 'prompt', labelBase: name, thresholdBytes: responses.thresholdBytes }
}
