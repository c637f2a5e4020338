/** `logging/setLevel`: to every server that logs, and to those that come later. */
import { RPC } from '../../protocol/messages.js'
import { RpcError } from '../rpc-error.js'
import type { Handler } from '../session-context.js'

export const setLevel: Handler = (context, call) => {
  const level = call.params['level']
  if (typeof level !== 'string') throw new RpcError(RPC.invalidParams, 'level: a log level is missing')
  context.logLevel = level
  const upstreams = context.upstreams.all()
  const logging = upstreams.filter((upstream) => upstream.facts && 'logging' in upstream.facts.capabilities)
  if (logging.length === 0 && upstreams.every((upstream) => upstream.facts)) {
    throw new RpcError(RPC.methodNotFound, 'Method not found: logging/setLevel (no server logs)')
  }
  const [only] = logging
  if (only && logging.length === 1) return context.relay(call, only)
  for (const upstream of logging) context.tell(upstream, 'logging/setLevel', { level })
  return '{}'
}
