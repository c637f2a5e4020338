/** `tools/call`: the gateway's own tools, and every other one's way to its owner. */
import { RPC } from '../../protocol/messages.js'
import { RpcError } from '../rpc-error.js'
import type { Handler } from '../session-context.js'
import { callByName } from './call-by-name.js'
import { callOwnTool, isOwnTool } from './own-tools.js'
import { relayTool } from './relay-tool.js'

export const callTool: Handler = (context, call) => {
  const name = call.params['name']
  if (typeof name !== 'string') throw new RpcError(RPC.invalidParams, 'name: the name of a tool is missing')
  if (!isOwnTool(context, name)) return relayTool(context, call, { name })
  if (name === context.settings.callTool) return callByName(context, call)
  return callOwnTool(context, call, { name, args: call.params['arguments'] })
}
