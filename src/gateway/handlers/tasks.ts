/** Tasks follow the server that made them; a task's result is indexed like the call that started it. */
import { RPC } from '../../protocol/messages.js'
import type { Call } from '../call.js'
import { RpcError } from '../rpc-error.js'
import type { Handler, SessionContext, TaskOwner } from '../session-context.js'

export const taskVerb: Handler = (context, call) => context.relay(call, ownerOfTask(context, call).upstream)

export const taskResult: Handler = (context, call) => {
  const { upstream, candidate } = ownerOfTask(context, call)
  return context.relay(call, upstream, { candidate })
}

// --- internal ---

function ownerOfTask(context: SessionContext, call: Call): TaskOwner {
  const taskId = call.params['taskId']
  if (typeof taskId !== 'string') throw new RpcError(RPC.invalidParams, 'taskId: the id of a task is missing')
  const owner = context.tasks.get(taskId)
  if (owner) return owner
  const withTasks = context.upstreams.all().filter((upstream) => upstream.facts && 'tasks' in upstream.facts.capabilities)
  const [only] = withTasks
  if (only && withTasks.length === 1) return { upstream: only, candidate: undefined }
  throw new RpcError(RPC.invalidParams, `taskId: no server has a task "${taskId}"`)
}
