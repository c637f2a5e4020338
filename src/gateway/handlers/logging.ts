/** `logging/setLevel`: to every server that logs, and to those that start later. */
import { isResult } from '../../protocol/frame.js'
import { RPC } from '../../protocol/messages.js'
import type { Upstream } from '../../upstream/upstream.js'
import { askUpstream } from '../ask-upstream.js'
import { RpcError } from '../rpc-error.js'
import type { Handler, SessionContext } from '../session-context.js'

/**
 * A level is kept unless every server refuses it. One that sessions share is set to the most verbose of theirs. Servers that have not
 * started are told when they do; none is started for this.
 */
export const setLevel: Handler = async (context, call) => {
  const level = call.params['level']
  if (typeof level !== 'string') throw new RpcError(RPC.invalidParams, 'level: a log level is missing')
  const upstreams = context.upstreams.all()
  const all = upstreams.filter((upstream) => upstream.facts && 'logging' in upstream.facts.capabilities)
  const logging = all.filter(({ state }) => state !== 'idle')
  const [only] = logging
  if (all.length === 0 && upstreams.every(({ facts }) => facts))
    throw new RpcError(RPC.methodNotFound, 'Method not found: no server logs')
  // Kept before it is told: what another session sets meanwhile counts this one in.
  const takeBack = keep(context, level)
  if (!only) return '{}' // one that is still out, or has not started, may take it
  if (logging.length === 1) {
    const observe = (frame: Uint8Array | undefined) => {
      if (!(frame && isResult(frame))) takeBack()
    }
    const told = levelFor(only, level)
    return context.relay(call, only, { observe, ...(told !== level && { params: [{ path: ['level'], value: told }] }) })
  }
  const asked = logging.map((upstream) => askUpstream(upstream, 'logging/setLevel', { level: levelFor(upstream, level) }))
  await Promise.any(asked).catch((all: AggregateError) => {
    takeBack()
    throw all.errors[0]
  })
  return '{}'
}

// --- internal ---

function levelFor({ orders }: Upstream, level: string): string {
  return orders.level ?? level
}

/** Returns what undoes it, unless the session has set another level since. */
function keep({ upstreams, holder }: SessionContext, level: string): () => void {
  const before = upstreams.all().map(({ orders }) => ({ orders, level: orders.setLevel(holder, level) }))
  return () => {
    for (const { orders, level: earlier } of before) if (orders.levelOf(holder) === level) orders.setLevel(holder, earlier)
  }
}
