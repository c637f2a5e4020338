/** The four lists: merged from all servers, waiting a little for those that are still starting. */
import type { ListKind } from '../../protocol/compute-api.js'
import { RPC } from '../../protocol/messages.js'
import { RpcError } from '../rpc-error.js'
import type { Handler, SessionContext } from '../session-context.js'
import { settledWithin } from '../settled-within.js'

export const listTools: Handler = (context, call) => list(context, 'tools', call.params)
export const listResources: Handler = (context, call) => list(context, 'resources', call.params)
export const listResourceTemplates: Handler = (context, call) => list(context, 'resourceTemplates', call.params)
export const listPrompts: Handler = (context, call) => list(context, 'prompts', call.params)

// --- internal ---

async function list(context: SessionContext, kind: ListKind, params: Readonly<Record<string, unknown>>): Promise<string> {
  const cursor = params['cursor'] ?? undefined
  if (cursor !== undefined && typeof cursor !== 'string') throw noCursor()
  const { listWaitMs, pageSize } = context.settings
  context.catalog.warm()
  await settledWithin(
    context.upstreams.all().map((upstream) => upstream.firstAttempt),
    listWaitMs,
  )
  await context.catalog.ready()
  const page = context.catalog.list(kind, { cursor, size: pageSize })
  if (page === undefined) throw noCursor()
  context.changes.served(kind)
  return page
}

function noCursor(): RpcError {
  return new RpcError(RPC.invalidParams, 'cursor: it is none that this list gave; leave it out to read from the beginning')
}
