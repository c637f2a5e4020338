/** Methods the gateway does not know: to the only server, or to the owner that the params name. */
import { RPC } from '../../protocol/messages.js'
import type { Upstream } from '../../upstream/upstream.js'
import type { Call } from '../call.js'
import type { ParamEdit } from '../relay-frame.js'
import { RpcError } from '../rpc-error.js'
import type { Handler, SessionContext } from '../session-context.js'

export const followOwner: Handler = (context, call) => {
  context.settleNames()
  const owner = ownerInParams(context, call)
  if (owner) return context.relay(call, owner.upstream, { params: owner.params })
  const upstreams = context.upstreams.all()
  const [only] = upstreams
  if (only && upstreams.length === 1) return context.relay(call, only)
  throw new RpcError(
    RPC.methodNotFound,
    `Method not found: ${call.method} (its params name no server's tool, prompt, resource or task)`,
  )
}

// --- internal ---

function ownerInParams(context: SessionContext, call: Call): { upstream: Upstream; params: ParamEdit[] } | undefined {
  const { name, uri, taskId } = call.params
  const byName = typeof name === 'string' ? (context.tools.resolve(name) ?? context.prompts.resolve(name)) : undefined
  if (byName) return owned(context, byName.alias, [{ path: ['name'], value: byName.name }])
  const byUri = typeof uri === 'string' ? context.uris.resolve(uri) : undefined
  if (byUri) return owned(context, byUri.alias, [{ path: ['uri'], value: byUri.uri }])
  const task = typeof taskId === 'string' ? context.tasks.resolve(taskId) : undefined
  return task && { upstream: task.upstream, params: [{ path: ['taskId'], value: task.id }] }
}

function owned(
  context: SessionContext,
  alias: string,
  params: ParamEdit[],
): { upstream: Upstream; params: ParamEdit[] } | undefined {
  const upstream = context.upstreams.byAlias(alias)
  return upstream && { upstream, params }
}
