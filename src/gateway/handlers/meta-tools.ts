/** CtxSlim's tools on top of the same index: for prompts that use their names. */
import { utf8Length } from '../../base/utf8.js'
import type { Candidate } from '../../catalog/admission.js'
import { type MetaTool, parseToolNames, parseToolQuery } from '../../catalog/meta-tools.js'
import { nearestName } from '../../catalog/names.js'
import { firstSentence } from '../../catalog/prose.js'
import type { Settings } from '../../config/config.js'
import { asRecord } from '../../protocol/messages.js'
import type { Call } from '../call.js'
import type { ContextIndex } from '../context-index.js'
import { metaToolsOf } from '../own-entries.js'
import { serverFacts } from '../servers-resource.js'
import type { SessionContext } from '../session-context.js'
import { toolText } from '../tool-text.js'

export function isMetaTool(settings: Settings, name: string): boolean {
  return settings.metaTools.length > 0 && metaToolsOf(settings).some((one) => one === name)
}

/** What has landed by now is what there is. */
export async function callMetaTool(context: SessionContext, call: Call, asked: Asked & { name: MetaTool }): Promise<string> {
  await context.catalog.ready()
  context.catalog.plan()
  return ANSWERS[asked.name](context, call, asked)
}

// --- internal ---

interface Asked {
  readonly index: ContextIndex
  readonly args: unknown
}

const CATALOG = 'mcp/'
/** Servers, prompts and resources are found as well, and passed over. */
const MOST_FOUND = 20
const SENTENCE_CHARS = 160
const MAX_BYTES = 48_000

const ANSWERS: Readonly<Record<MetaTool, (context: SessionContext, call: Call, asked: Asked) => string | Promise<string>>> = {
  search_tools: searchTools,
  describe_tools: (context, _, { args }) => describeTools(context, args),
  enable_tools: (context, _, { args }) => enableTools(context, args),
  list_servers: (context) => toolText({ text: JSON.stringify({ servers: serverFacts(context) }, null, 2), isError: false }),
  slim_stats: async ({ catalog }) => toolText({ text: JSON.stringify(await catalog.describe(), null, 2), isError: false }),
}

async function searchTools(context: SessionContext, call: Call, { index, args }: Asked): Promise<string> {
  const { catalog } = context
  const request = parseToolQuery(args)
  if ('fault' in request) return fault(request.fault)
  const { queries, limit } = request.ok
  const query = { queries, source: CATALOG, limit: MOST_FOUND, ...catalog.hints() }
  const { shown } = await index.search(query, call.signal)
  const found = shown.flatMap((label) => catalog.find(label) ?? []).filter(({ kind }) => kind === 'tools')
  if (found.length === 0) return toolText({ text: `No tool is found for ${JSON.stringify(queries)}.`, isError: false })
  const lines = found.slice(0, limit).map((candidate) => hitLine(context, candidate))
  return toolText({ text: [...lines, howToCall(context)].join('\n'), isError: false })
}

function hitLine({ catalog }: SessionContext, { kind, server, entry }: Candidate): string {
  const { description } = asRecord(JSON.parse(entry.json)) ?? {}
  const about = typeof description === 'string' ? firstSentence(description, SENTENCE_CHARS) : ''
  const state = catalog.isListed(kind, entry.exposed) ? '' : ', not listed'
  return `- ${entry.exposed} (${server.alias}${state})${about === '' ? '' : `: ${about}`}`
}

/** A client may not look at its list again: how to call at once is said always. */
function howToCall({ catalog, settings }: SessionContext): string {
  if (!catalog.deferring) return 'Call them by their names.'
  return `Call any of them at once: ${settings.callTool}(name="<name>", arguments={...}).`
}

/** The definitions as the servers have them, under the names to call them by. */
function describeTools(context: SessionContext, args: unknown): string {
  const request = parseToolNames(args, 'describe_tools')
  if ('fault' in request) return fault(request.fault)
  const { known, unknown } = sorted(context, request.ok)
  const texts: string[] = []
  let bytes = 0
  for (const candidate of known) {
    const text = definitionOf(context, candidate)
    bytes += utf8Length(text)
    texts.push(bytes <= MAX_BYTES ? text : `${candidate.entry.exposed}: ${readLine(context, candidate)}`)
  }
  return toolText({ text: [...texts, ...unknown].join('\n'), isError: known.length === 0 })
}

function definitionOf({ upstreams }: SessionContext, { server, entry }: Candidate): string {
  const item = upstreams
    .byAlias(server.alias)
    ?.list('tools')
    .find(({ key }) => key === entry.key)
  return JSON.stringify({ ...asRecord(JSON.parse(item?.json ?? entry.json)), name: entry.exposed })
}

function readLine({ settings }: SessionContext, { entry }: Candidate): string {
  return `${settings.readTool}(label=${JSON.stringify(entry.label)}) gives its definition`
}

function enableTools(context: SessionContext, args: unknown): string {
  const request = parseToolNames(args, 'enable_tools')
  if ('fault' in request) return fault(request.fault)
  const { catalog } = context
  const { known, unknown } = sorted(context, request.ok)
  catalog.enable(known.map(({ entry }) => entry.label))
  const lines = known.map(({ kind, entry: { exposed } }) =>
    catalog.isListed(kind, exposed) ? `- ${exposed}: listed` : `- ${exposed}: not listed, there is no room`,
  )
  const how = known.length > 0 ? [howToCall(context)] : []
  return toolText({ text: [...lines, ...unknown, ...how].join('\n'), isError: known.length === 0 })
}

/** The tools of these names or labels, and a line for each that is none. A server's own name will do where only one tool has it. */
function sorted(context: SessionContext, names: readonly string[]): { known: Candidate[]; unknown: string[] } {
  const { catalog, tools } = context
  const known: Candidate[] = []
  const unknown: string[] = []
  for (const name of names) {
    const found = name.startsWith(CATALOG) ? catalog.find(name) : (catalog.findTool(name) ?? onlyOneCalled(context, name))
    const guess = found ? undefined : nearestName(name, tools.names())
    if (found?.kind === 'tools') known.push(found)
    else unknown.push(`- ${name}: unknown${guess === undefined ? '' : `; did you mean "${guess}"?`}`)
  }
  return { known, unknown }
}

function onlyOneCalled({ catalog }: SessionContext, name: string): Candidate | undefined {
  const found = catalog.servers().flatMap((server) => server.entries.tools.filter(({ key }) => key === name))
  const [only, ...others] = found
  return only && others.length === 0 ? catalog.findTool(only.exposed) : undefined
}

function fault(text: string): string {
  return toolText({ text, isError: true })
}
