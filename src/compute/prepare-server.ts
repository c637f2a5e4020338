/** A server's catalog made ready: listed entries with their costs, and the documents by which the index finds and explains them. */
import { utf8Length } from '../base/utf8.js'
import { compressSchema } from '../catalog/compress-schema.js'
import { catalogLabels } from '../catalog/labels.js'
import { listedOther, listedTool, type SourceEntry } from '../catalog/listed-entry.js'
import { lowerTool } from '../catalog/lower-tool.js'
import { headingsOf } from '../catalog/prose.js'
import { repairTool } from '../catalog/repair-tool.js'
import type { CatalogDoc, ExposedItem, PrepareArgs, PreparedEntry, PreparedServer, Repair } from '../protocol/catalog-api.js'
import type { ListKind } from '../protocol/compute-api.js'
import { asRecord } from '../protocol/messages.js'
import { minifyJson } from '../text/json-text.js'
import type { EntryCost } from './entry-cost.js'
import { promptDocument, resourceDocument, toolDocument } from './entry-document.js'
import { serverDocument, serverSummary } from './server-document.js'

/** What an entry of this JSON text costs. Counting needs tables that are slow to load, so whoever wants costs brings them. */
export type CostOf = (json: string) => EntryCost

/** Entries must be JSON objects. Takes time in proportion to the definitions: some 2 s for 1 MB, most of it for counting. */
export function prepareServer({ server, lists, options }: PrepareArgs, costOf: CostOf = () => FREE): PreparedServer {
  const sources = sourceEntries(server.alias, lists)
  const docs: CatalogDoc[] = [serverDocument(server, sources)]
  const repairs: Repair[] = []
  const lowered: Repair[] = []
  const prepared = ({ key, exposed, label }: SourceEntry, text: string): PreparedEntry => {
    const json = options.compress ? minifyJson(text) : text
    return { key, exposed, label, json, bytes: utf8Length(json), ...costOf(json) }
  }
  const tools = sources.tools.map((entry) => {
    const ready = readyTool(entry, server, options)
    docs.push(ready.doc)
    repairs.push(...ready.repairs)
    lowered.push(...ready.lowered)
    return prepared(entry, ready.json)
  })
  const others = (kind: Exclude<ListKind, 'tools'>) =>
    sources[kind].map((entry) => {
      docs.push(kind === 'prompts' ? promptDocument(entry, server) : resourceDocument(entry, server))
      return prepared(entry, listedOther(entry, kind, options))
    })
  return {
    entries: {
      tools,
      resources: others('resources'),
      resourceTemplates: others('resourceTemplates'),
      prompts: others('prompts'),
    },
    rawBytes: rawBytes(server.instructions ?? '', lists),
    summary: serverSummary(server),
    headings: headingsOf(server.instructions ?? '', MAX_HEADINGS, HEADING_CHARS),
    repairs,
    lowered,
    docs: sharedJson(docs),
  }
}

// --- internal ---

const FREE: EntryCost = { tokens: 0, lastTokens: 0 }
const MAX_HEADINGS = 12
const HEADING_CHARS = 60

interface ReadyTool {
  readonly json: string
  readonly doc: CatalogDoc
  readonly repairs: readonly Repair[]
  readonly lowered: readonly Repair[]
}

function readyTool(entry: SourceEntry, server: PrepareArgs['server'], options: PrepareArgs['options']): ReadyTool {
  const { descriptionBudget } = options
  try {
    // Where nothing is asked for, everything passes as it is, faults included.
    const mends = options.compress || options.dialect !== 'none'
    const { tool, repairs } = mends ? repairTool(entry.fields) : { tool: entry.fields, repairs: [] }
    const schema = compressSchema(tool['inputSchema'], { descriptionBudget, toolName: entry.key })
    const small = options.compress && Object.hasOwn(tool, 'inputSchema') ? { ...tool, inputSchema: schema } : tool
    const usable = lowerTool(small, options.dialect, options.compress ? descriptionBudget : 0)
    return {
      json: listedTool(entry, usable.tool, options),
      // The index tells of the schema that is meant.
      doc: toolDocument(entry, server, schema),
      repairs: repairs.map((repair) => ({ tool: entry.key, ...repair })),
      lowered: usable.lowered.map((lowering) => ({ tool: entry.key, ...lowering })),
    }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    return tooDeepTool(entry, server, options)
  }
}

/** A schema that is nested too deep to be walked through is replaced by an open one. */
function tooDeepTool(entry: SourceEntry, server: PrepareArgs['server'], options: PrepareArgs['options']): ReadyTool {
  const { name, description } = entry.fields
  const fields = { name, description, inputSchema: { type: 'object' } }
  const open = { ...entry, fields, json: JSON.stringify(fields) }
  const repair = { tool: entry.key, what: 'listed with an open schema', why: 'its definition is nested too deep' }
  return {
    json: listedTool(open, fields, options),
    doc: toolDocument({ ...open, json: entry.json }, server, fields.inputSchema),
    repairs: [repair],
    lowered: [],
  }
}

function sourceEntries(alias: string, lists: PrepareArgs['lists']): Record<ListKind, SourceEntry[]> {
  const fieldsOf = ({ json }: ExposedItem) => asRecord(JSON.parse(json)) ?? {}
  const labelled = (kind: 'tool' | 'prompt', items: readonly ExposedItem[]) => {
    const labels = catalogLabels(
      alias,
      kind,
      items.map(({ key }) => key),
    )
    return items.map((item, i) => ({ ...item, label: labels[i] ?? '', fields: fieldsOf(item) }))
  }
  // Templates are resources too, and share their labels.
  const all = [...lists.resources, ...lists.resourceTemplates].map((item) => ({ ...item, fields: fieldsOf(item) }))
  const labels = catalogLabels(
    alias,
    'resource',
    all.map(({ key, fields: { name } }) => (typeof name === 'string' && name !== '' ? name : key)),
  )
  const resources = all.map((item, i) => ({ ...item, label: labels[i] ?? '' }))
  return {
    tools: labelled('tool', lists.tools),
    prompts: labelled('prompt', lists.prompts),
    resources: resources.slice(0, lists.resources.length),
    resourceTemplates: resources.slice(lists.resources.length),
  }
}

function rawBytes(instructions: string, lists: PrepareArgs['lists']): number {
  const items = Object.values(lists).flat()
  return items.reduce((sum, { json }) => sum + utf8Length(json), utf8Length(instructions))
}

function sharedJson(value: unknown): Uint8Array<SharedArrayBuffer> {
  const json = JSON.stringify(value)
  const shared = new SharedArrayBuffer(utf8Length(json))
  Buffer.from(shared).write(json, 'utf8')
  return new Uint8Array(shared)
}
