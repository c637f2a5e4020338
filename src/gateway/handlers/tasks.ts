/** Tasks follow the server that made them; a task's result is indexed like the call that started it. */
import { parseJson } from '../../protocol/frame.js'
import { asRecord, RPC } from '../../protocol/messages.js'
import type { Upstream } from '../../upstream/upstream.js'
import { askUpstream } from '../ask-upstream.js'
import type { Call } from '../call.js'
import { RpcError } from '../rpc-error.js'
import { noteTask } from '../running-tasks.js'
import type { Handler, SessionContext } from '../session-context.js'
import type { TaskOwner } from '../task-table.js'

export const taskVerb: Handler = (context, call) => {
  const { upstream, id } = ownerOfTask(context, call)
  const observe = (frame: Uint8Array | undefined) => {
    const answer = asRecord(frame && parseJson(frame))
    if (asRecord(answer?.['error'])?.['code'] === RPC.invalidParams) upstream.orders.taskEnded(context.holder, id)
    else noteTask(upstream, context.holder, answer?.['result'])
  }
  return context.relay(call, upstream, { params: [{ path: ['taskId'], value: id }], observe })
}

export const taskResult: Handler = (context, call) => {
  const { upstream, id, candidate } = ownerOfTask(context, call)
  // A result is there when the task has ended, and an error says that there is none.
  const observe = (frame: Uint8Array | undefined) => frame && upstream.orders.taskEnded(context.holder, id)
  return context.relay(call, upstream, {
    params: [{ path: ['taskId'], value: id }],
    candidate,
    diet: upstream.server.diet,
    observe,
  })
}

/** The tasks of the only server that lists them, or of all of them as one list. */
export const listTasks: Handler = async (context, call) => {
  const listing = context.upstreams.all().filter(({ facts }) => asRecord(facts?.capabilities['tasks'])?.['list'] !== undefined)
  const [only] = listing
  if (!only) throw new RpcError(RPC.methodNotFound, 'Method not found: no server lists its tasks')
  if (listing.length === 1) return context.relay(call, only)
  const lists = await Promise.all(listing.map((upstream) => tasksOf(context, upstream, call.signal)))
  return JSON.stringify({ tasks: lists.flat() })
}

// --- internal ---

const MAX_PAGES = 100

function ownerOfTask(context: SessionContext, call: Call): TaskOwner {
  const id = call.params['taskId']
  if (typeof id !== 'string') throw new RpcError(RPC.invalidParams, 'taskId: the id of a task is missing')
  const owner = context.tasks.resolve(id)
  if (owner) return owner
  const withTasks = context.upstreams.all().filter((upstream) => upstream.facts && 'tasks' in upstream.facts.capabilities)
  const [only] = withTasks
  if (only && withTasks.length === 1) return { upstream: only, id, candidate: undefined }
  throw new RpcError(RPC.invalidParams, `taskId: no server has a task "${id}"`)
}

/** All pages of a server's tasks, under the client's ids; none if it fails, which is no fault of the others. */
async function tasksOf(context: SessionContext, upstream: Upstream, signal: AbortSignal): Promise<object[]> {
  if (upstream.state === 'idle') await upstream.ready(signal).catch(() => undefined)
  const tasks: object[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const result = await askUpstream(upstream, 'tasks/list', params).catch(() => undefined)
    for (const entry of Array.isArray(result?.['tasks']) ? result['tasks'] : []) {
      const task = asRecord(entry)
      const id = task?.['taskId']
      if (typeof id === 'string') tasks.push({ ...task, taskId: context.tasks.expose({ upstream, id, candidate: undefined }) })
    }
    const next = result?.['nextCursor']
    if (typeof next !== 'string' || next === cursor) return tasks
    cursor = next
  }
  return tasks
}
