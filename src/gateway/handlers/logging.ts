/** `logging/setLevel`: to every server that logs, and to those that start later. */
import { findMember } from '../../protocol/json-spans.js'
import { RPC } from '../../protocol/messages.js'
import { askUpstream } from '../ask-upstream.js'
import { RpcError } from '../rpc-error.js'
import type { Handler } from '../session-context.js'

/** A level is kept once a server has taken it. Servers that have not started are told when they do; none is started for this. */
export const setLevel: Handler = async (context, call) => {
  const level = call.params['level']
  if (typeof level !== 'string') throw new RpcError(RPC.invalidParams, 'level: a log level is missing')
  const upstreams = context.upstreams.all()
  const all = upstreams.filter((upstream) => upstream.facts && 'logging' in upstream.facts.capabilities)
  const logging = all.filter(({ state }) => state !== 'idle')
  const [only] = logging
  if (!only) {
    if (all.length === 0 && upstreams.every(({ facts }) => facts))
      throw new RpcError(RPC.methodNotFound, 'Method not found: no server logs')
    context.logLevel = level // one that is still out may take it
    return '{}'
  }
  if (logging.length === 1) {
    const observe = (frame: Uint8Array) => {
      if (!findMember(frame, 0, 'error')) context.logLevel = level
    }
    return context.relay(call, only, { observe })
  }
  const asked = logging.map((upstream) => askUpstream(upstream, 'logging/setLevel', { level }))
  await Promise.any(asked).catch((all: AggregateError) => {
    throw all.errors[0]
  })
  context.logLevel = level
  return '{}'
}
