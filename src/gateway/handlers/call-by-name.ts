/** The tool that calls any tool, listed or not; the label of a prompt or resource gives its messages or contents. */
import type { Candidate as CatalogEntry } from '../../catalog/admission.js'
import { parseCallRequest } from '../../catalog/call-request.js'
import { type Expansion, expandTemplate } from '../../catalog/uri-template.js'
import { parseJson } from '../../protocol/frame.js'
import type { Call } from '../call.js'
import { paramText } from '../relay-frame.js'
import { promptAsToolResult, resourceAsToolResult } from '../results-as-tool-results.js'
import type { Answer, SessionContext } from '../session-context.js'
import { toolText } from '../tool-text.js'
import { callOwnTool, isOwnTool } from './own-tools.js'
import { relayTool, toolCandidate } from './relay-tool.js'

export function callByName(context: SessionContext, call: Call): Answer | Promise<Answer> {
  const { callTool } = context.settings
  const request = parseCallRequest(paramText(call.incoming.frame, ['arguments']), callTool)
  if ('fault' in request) return toolText({ text: request.fault, isError: true })
  const { name, argumentsJson } = request.ok
  call.argumentsJson = argumentsJson
  if (name === callTool) return toolText({ text: `name: ${callTool} calls other tools, not itself`, isError: true })
  if (isOwnTool(context, name)) {
    return callOwnTool(context, call, { name, args: parseJson(Buffer.from(argumentsJson)) })
  }
  if (!name.startsWith('mcp/')) return relayTool(context, call, { name, argumentsJson })
  return callLabelled(context, call, { label: name, argumentsJson })
}

// --- internal ---

async function callLabelled(
  context: SessionContext,
  call: Call,
  { label, argumentsJson }: { label: string; argumentsJson: string },
): Promise<Answer> {
  await context.catalog.ready()
  const found = context.catalog.find(label)
  if (!found) return relayTool(context, call, { name: label, argumentsJson })
  if (found.kind === 'tools') return relayTool(context, call, { name: found.entry.exposed, argumentsJson })
  const upstream = context.upstreams.byAlias(found.server.alias)
  if (!upstream) return undefined
  const prompt = found.kind === 'prompts'
  const target = prompt ? { uri: '' } : uriOf(found, argumentsJson)
  if ('missing' in target) return toolText({ text: needs(label, target.missing), isError: true })
  call.tool = prompt ? 'prompts/get' : 'resources/read'
  return context.relay(call, upstream, {
    request: {
      method: prompt ? 'prompts/get' : 'resources/read',
      params: prompt
        ? `"name":${JSON.stringify(found.entry.key)},"arguments":${argumentsJson}`
        : `"uri":${JSON.stringify(target.uri)}`,
    },
    diet: upstream.server.diet,
    reshape: prompt ? promptAsToolResult : resourceAsToolResult,
    candidate: toolCandidate(context, { alias: found.server.alias, name: found.entry.key }, labelBase(found)),
  })
}

/** A template has no URI of its own: its variables are to be given, or a whole URI that fits it. */
function uriOf({ kind, entry }: CatalogEntry, argumentsJson: string): Expansion {
  if (kind !== 'resourceTemplates') return { uri: entry.key }
  const given = JSON.parse(argumentsJson) as Record<string, unknown>
  const expansion = expandTemplate(entry.key, given)
  const { uri } = given
  return 'missing' in expansion && typeof uri === 'string' ? { uri } : expansion
}

function needs(label: string, missing: readonly string[]): string {
  return `arguments: ${JSON.stringify(label)} is a template and needs ${missing.join(', ')}, or a whole uri`
}

function labelBase({ server, entry }: CatalogEntry): string {
  return `${server.alias}__${entry.label.slice(entry.label.lastIndexOf('/') + 1)}`
}
