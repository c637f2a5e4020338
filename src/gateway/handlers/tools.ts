/** `tools/call`: the gateway's own tools, and every other one's way to its owner. */
import picomatch from 'picomatch'
import { ellipsize } from '../../base/utf8.js'
import { bareName, NAME_SEPARATOR, type NameOwner, nearestName } from '../../catalog/names.js'
import { parseReadRequest, parseSearchRequest } from '../../catalog/own-tools.js'
import { parseJson } from '../../protocol/frame.js'
import { asRecord, RPC } from '../../protocol/messages.js'
import type { ToolText } from '../../protocol/session-api.js'
import type { Upstream } from '../../upstream/upstream.js'
import type { Call } from '../call.js'
import type { Candidate, ResponseIndex } from '../response-index.js'
import { RpcError } from '../rpc-error.js'
import { SERVERS_URI } from '../servers-resource.js'
import type { Answer, Handler, RelayOptions, SessionContext } from '../session-context.js'
import { awaitOwner } from './await-owner.js'
import { proxiedServer } from './proxied-server.js'

export const callTool: Handler = (context, call) => {
  const name = call.params['name']
  if (typeof name !== 'string') throw new RpcError(RPC.invalidParams, 'name: the name of a tool is missing')
  context.settleNames()
  const owner = context.tools.resolve(name)
  if (owner) return relayTo(context, call, owner, name)
  if (context.index) {
    const { searchTool, readTool } = context.config.settings
    if (name === searchTool) return search(context.index, call, searchTool)
    if (name === readTool) return read(context, context.index, call)
  }
  return relayWhenKnown(context, call, name)
}

/** What an indexed result of this tool is called and when it is indexed. */
function toolCandidate(context: SessionContext, owner: NameOwner, exposed: string): Candidate | undefined {
  const upstream = context.upstreams.byAlias(owner.alias)
  if (!context.index || !upstream) return undefined
  const own = upstream.server.responseThreshold.find(({ glob }) => picomatch.isMatch(owner.name, glob))
  return { kind: 'tool', labelBase: exposed, thresholdBytes: own?.bytes ?? context.config.settings.responses.thresholdBytes }
}

// --- internal ---

const MAX_SHOWN_NAME = 100

function relayTo(context: SessionContext, call: Call, owner: NameOwner, exposed: string): Answer {
  const upstream = context.upstreams.byAlias(owner.alias)
  if (!upstream) throw new RpcError(RPC.internalError, `the server of ${exposed} is gone`)
  if (!context.lists.allows(upstream.server, owner.name)) return excluded(upstream, owner.name)
  const candidate = toolCandidate(context, owner, exposed)
  const options: RelayOptions = { params: [{ path: ['name'], value: owner.name }], candidate }
  if (!call.params['task']) return context.relay(call, upstream, options)
  return context.relay(call, upstream, {
    ...options,
    observe: (frame) => {
      const result = asRecord(asRecord(parseJson(frame))?.['result'])
      const taskId = asRecord(result?.['task'])?.['taskId']
      if (typeof taskId === 'string') context.keepTask(call, { upstream, id: taskId, candidate })
    },
  })
}

async function relayWhenKnown(context: SessionContext, call: Call, name: string): Promise<Answer> {
  const named = await awaitOwner(context, call, name)
  const owner = context.tools.resolve(name)
  if (owner) return relayTo(context, call, owner, name)
  const hidden = excludedOwner(context, name, named)
  if (hidden) return excluded(hidden.upstream, hidden.tool)
  const only = proxiedServer(context)
  return only ? relayTo(context, call, { alias: only.server.alias, name }, bareName(name)) : unknownTool(context, name, named)
}

function unknownTool(context: SessionContext, name: string, named: Upstream | undefined): string {
  const shown = ellipsize(name, MAX_SHOWN_NAME)
  const text = [`Unknown tool "${shown}".`, reasonWhy(context, name, named)].join(' ')
  return toolText({ text: context.config.redact(text), isError: true })
}

/** The server that has a tool of this name, prefixed or bare, and may not offer it. */
function excludedOwner(
  context: SessionContext,
  name: string,
  named: Upstream | undefined,
): { upstream: Upstream; tool: string } | undefined {
  const isHidden = (upstream: Upstream, tool: string) =>
    !context.lists.allows(upstream.server, tool) && upstream.list('tools').some((item) => item.key === tool)
  const own = named && name.slice(named.server.alias.length + NAME_SEPARATOR.length)
  if (named && own && isHidden(named, own)) return { upstream: named, tool: own }
  if (context.config.settings.naming === 'prefixed') return undefined
  const upstream = context.upstreams.all().find((candidate) => isHidden(candidate, name))
  return upstream && { upstream, tool: name }
}

/** What most likely is behind it: the server that the name speaks of, a misspelling, or servers that are not there. */
function reasonWhy(context: SessionContext, name: string, named: Upstream | undefined): string {
  const { disabled, switchedOff } = context.config
  const isOf = (server: string) => name.startsWith(`${server}${NAME_SEPARATOR}`)
  const fault = disabled.find((server) => isOf(server.name))
  if (fault)
    return `Server "${fault.name}" is disabled: ${fault.reason}. Mend its entry in the configuration to have its tools.`
  const off = switchedOff.find(isOf)
  if (off) return `Server "${off}" is switched off in the configuration; take "disabled" out of its entry to have its tools.`
  const guess = nearestName(name, context.tools.names())
  if (guess) return `Did you mean "${guess}"? tools/list has the names of all tools.`
  if (named)
    return `Server "${named.server.name}" is there and lists ${named.list('tools').length} tools, none of that name; see tools/list.`
  const down = context.upstreams.all().filter((upstream) => !upstream.facts)
  const missing = down.map((upstream) => `"${upstream.server.name}"`).join(', ')
  return `tools/list has the names of all tools${missing && `, but those of servers that are not there: ${missing} (see the resource ${SERVERS_URI})`}.`
}

function excluded(upstream: Upstream, tool: string): string {
  const text =
    `The tool "${tool}" of server "${upstream.server.name}" is excluded by the configuration; ` +
    'to allow it, change include or exclude of that server.'
  return toolText({ text, isError: true })
}

async function search(index: ResponseIndex, call: Call, tool: string): Promise<string> {
  const request = parseSearchRequest(call.params['arguments'], tool)
  if ('fault' in request) return toolText({ text: request.fault, isError: true })
  return toolText(await index.search(request.ok, call.signal))
}

async function read(context: SessionContext, index: ResponseIndex, call: Call): Promise<string> {
  const request = parseReadRequest(call.params['arguments'], context.config.settings.readTool)
  if ('fault' in request) return toolText({ text: request.fault, isError: true })
  const client = String(context.client?.clientInfo['name'] ?? '')
  return toolText(await index.read(request.ok, client, call.signal))
}

function toolText({ text, isError }: ToolText): string {
  return JSON.stringify({ content: [{ type: 'text', text }], ...(isError && { isError }) })
}
