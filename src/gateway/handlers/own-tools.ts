/** The gateway's own tools that search and read the index. */
import type { MetaTool } from '../../catalog/meta-tools.js'
import { parseReadRequest, parseSearchRequest } from '../../catalog/own-tools.js'
import { RPC } from '../../protocol/messages.js'
import type { Call } from '../call.js'
import type { ContextIndex } from '../context-index.js'
import { RpcError } from '../rpc-error.js'
import type { Answer, SessionContext } from '../session-context.js'
import { toolText } from '../tool-text.js'
import { callMetaTool, isMetaTool } from './meta-tools.js'

export function callOwnTool(
  context: SessionContext,
  call: Call,
  { name, args }: { name: string; args: unknown },
): Answer | Promise<Answer> {
  const { index, settings } = context
  if (!index) throw new RpcError(RPC.invalidParams, `there is no index to ask with ${name}`)
  call.tool = name
  if (name === settings.searchTool) {
    call.own = 'search'
    return search(context, call, { index, args })
  }
  if (name === settings.readTool) {
    call.own = 'read'
    return read(context, call, { index, args })
  }
  call.own = 'search'
  return callMetaTool(context, call, { name: name as MetaTool, index, args })
}

export function isOwnTool({ index, settings }: SessionContext, name: string): boolean {
  if (index === undefined) return false
  const { searchTool, readTool, callTool } = settings
  return name === searchTool || name === readTool || name === callTool || isMetaTool(settings, name)
}

// --- internal ---

const CATALOG_PREFIX = 'mcp/'

interface Asked {
  readonly index: ContextIndex
  readonly args: unknown
}

/** What has landed by now is searched; deferred entries that are shown join their lists. */
async function search(context: SessionContext, call: Call, { index, args }: Asked): Promise<string> {
  const { catalog, settings } = context
  const request = parseSearchRequest(args, settings.searchTool)
  if ('fault' in request) return toolText({ text: request.fault, isError: true })
  await catalog.ready()
  catalog.plan()
  const answer = await index.search({ ...request.ok, ...catalog.hints() }, call.signal)
  catalog.activate(answer.shown)
  return toolText(answer)
}

async function read(context: SessionContext, call: Call, { index, args }: Asked): Promise<string> {
  const { catalog, settings } = context
  const request = parseReadRequest(args, settings.readTool)
  if ('fault' in request) return toolText({ text: request.fault, isError: true })
  const { label } = request.ok
  const isCatalog = label.startsWith(CATALOG_PREFIX)
  if (isCatalog) {
    await catalog.ready()
    catalog.plan()
  }
  const client = String(context.client?.clientInfo['name'] ?? '')
  const answer = await index.read(request.ok, client, call.signal)
  if (isCatalog && !answer.isError) catalog.activate([label])
  return toolText(answer)
}
