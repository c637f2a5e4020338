/** One tool under examination: whether it is listed, why not, and what its name and schema were changed to. */
import { nearest } from '../base/nearest.js'
import type { SessionContext } from '../gateway/session-context.js'
import { hiddenTools, type ToolFacts, toolFacts, whyDeferred } from '../gateway/tool-facts.js'
import { findMember, textOf } from '../protocol/json-spans.js'
import type { Upstream } from '../upstream/upstream.js'
import type { ToolReport } from './doctor-report.js'
import { missingServers } from './missing-servers.js'
import { leftOut, loweringsOf, renamedTools, repairsOf } from './tool-changes.js'

/** @param asked an exposed name, `server::tool`, or a server's own name of a tool */
export async function examineTool(context: SessionContext, asked: string): Promise<ToolReport> {
  const tools = await toolFacts(context)
  const found = tools.find(({ name }) => name === asked) ?? tools.find((facts) => isMeant(asked, facts))
  if (found) return report(context, asked, found)
  for (const upstream of context.upstreams.all()) {
    const server = upstream.server.name
    const isOf = (tool: string) => isMeant(asked, { server, tool }) || asked === `${upstream.server.alias}__${tool}`
    const hidden = hiddenTools(context, upstream).find(isOf)
    const why = 'include or exclude of its server says so: it is neither listed nor callable'
    if (hidden !== undefined) return { ...nothing(asked, 'hidden', why), server, tool: hidden }
    const lost = leftOut(context, upstream).find(isOf)
    if (lost === undefined) continue
    return {
      ...nothing(asked, 'left out', 'nobody could use its definition'),
      server,
      tool: lost,
      changes: changesOf(context, upstream, lost),
    }
  }
  return nothing(asked, 'unknown', whyUnknown(context, asked, tools))
}

// --- internal ---

function isMeant(asked: string, { server, tool }: Pick<ToolFacts, 'server' | 'tool'>): boolean {
  return asked === `${server}::${tool}` || asked === tool
}

function nothing(asked: string, state: ToolReport['state'], why: string): ToolReport {
  return { asked, state, why, name: null, server: null, tool: null, tokens: null, changes: [] }
}

function report(context: SessionContext, asked: string, facts: ToolFacts): ToolReport {
  const { name, server, tool, tokens, listed } = facts
  const upstream = context.upstreams.all().find((one) => one.server.name === server)
  const changes = upstream
    ? [
        ...nameChanges(context, upstream, tool),
        ...changesOf(context, upstream, tool),
        ...schemaChange(context, upstream, facts),
      ]
    : []
  const why = listed ? 'the client is given it' : whyDeferred(context, facts)
  return { asked, state: listed ? 'listed' : 'deferred', why, name, server, tool, tokens, changes }
}

function nameChanges(context: SessionContext, upstream: Upstream, tool: string): ToolReport['changes'] {
  return renamedTools(context, upstream).flatMap((renamed) =>
    renamed.tool === tool
      ? [{ what: `named ${renamed.name}`, why: 'names are at most 50 letters, digits, _ and -, and no two are alike' }]
      : [],
  )
}

function changesOf(context: SessionContext, upstream: Upstream, tool: string): ToolReport['changes'] {
  return [...repairsOf(context, upstream), ...loweringsOf(context, upstream)].flatMap((change) =>
    change.tool === tool ? [{ what: change.what, why: change.why }] : [],
  )
}

function schemaChange(context: SessionContext, upstream: Upstream, { tool, json }: ToolFacts): ToolReport['changes'] {
  const sent = upstream.list('tools').find(({ key }) => key === tool)?.json
  if (sent === undefined) return []
  const [before, after] = [schemaIn(sent), schemaIn(json)]
  if (before === after) return []
  const what = `schema of ${before.length} characters listed as ${after}`
  return [{ what, why: whyOther(context, upstream, tool) }]
}

function whyOther(context: SessionContext, upstream: Upstream, tool: string): string {
  if (context.settings.catalog.disclosure) return 'a stub: the reading tool has all of it'
  if (repairsOf(context, upstream).some((repair) => repair.tool === tool)) return 'repaired'
  if (loweringsOf(context, upstream).some((lowering) => lowering.tool === tool)) return 'accepts no less, in what LLM APIs take'
  return 'shorter, and it accepts the same'
}

function schemaIn(json: string): string {
  const bytes = Buffer.from(json)
  const span = findMember(bytes, 0, 'inputSchema')
  return span ? textOf(bytes, span) : ''
}

function whyUnknown(context: SessionContext, asked: string, tools: readonly ToolFacts[]): string {
  const meant = nearest(
    asked,
    tools.flatMap(({ name, tool }) => [name, tool]),
  )
  const missing = missingServers(context).map(({ name }) => name)
  const others = missing.length === 0 ? '' : `; these servers are not there: ${missing.join(', ')}`
  return `no server has a tool of this name${meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`}${others}`
}
