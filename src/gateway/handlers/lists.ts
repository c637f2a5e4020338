/** The four lists: merged from all servers, waiting a little for those that are still starting. */
import type { ListKind } from '../../protocol/compute-api.js'
import { RPC } from '../../protocol/messages.js'
import { RpcError } from '../rpc-error.js'
import type { Answer, Handler, SessionContext } from '../session-context.js'
import { settledWithin } from '../settled-within.js'

export const listTools: Handler = (context, call) => list(context, 'tools', call.params)
export const listResources: Handler = (context, call) => list(context, 'resources', call.params)
export const listResourceTemplates: Handler = (context, call) => list(context, 'resourceTemplates', call.params)
export const listPrompts: Handler = (context, call) => list(context, 'prompts', call.params)

// --- internal ---

function list(context: SessionContext, kind: ListKind, params: Readonly<Record<string, unknown>>): Answer | Promise<Answer> {
  if (params['cursor'] !== undefined && params['cursor'] !== null) {
    throw new RpcError(RPC.invalidParams, 'cursor: this list has one page and gave no cursor; leave it out')
  }
  const starting = context.upstreams.all().filter((upstream) => upstream.state === 'starting' || upstream.state === 'idle')
  const unlisted = starting.filter((upstream) => !upstream.facts)
  if (unlisted.length === 0) return served(context, kind)
  return settledWithin(
    unlisted.map((upstream) => upstream.firstAttempt),
    context.config.settings.listWaitMs,
  ).then(() => served(context, kind))
}

function served(context: SessionContext, kind: ListKind): string {
  context.changes.served(kind)
  return context.lists.result(kind, context.upstreams.all())
}
