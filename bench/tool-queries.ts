/** The labelled tool queries of the data folder, asked of a session's catalog through its verbs; the bench and a test use them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareServer } from '../src/compute/prepare-server.js'
import { createSessionApi } from '../src/indexer/create-session-api.js'
import type { CatalogServer, PrepareOptions } from '../src/protocol/catalog-api.js'
import type { SessionApi } from '../src/protocol/session-api.js'
import type { VectorFacts } from '../src/protocol/vector-api.js'
import { nameKey } from '../src/store/catalog-table.js'
import { jsonLines } from './json-lines.js'
import { type Measured, measured, type Quality, qualityOf } from './retrieval-quality.js'

export const TOOL_QUERY_SETS: readonly string[] = [
  'livemcpbench-step',
  'livemcpbench-task',
  'livemcpbench-agent-route',
  'azure-prompts-2025',
  'mcpproxy-golden',
  'metatool-single',
  'sealtools',
]

/** The folder of the data; undefined where it is absent. */
export function dataFolder(): string | undefined {
  const folder = process.env['SLUICE_DATA'] ?? '../shared/data'
  return existsSync(join(folder, 'toolqueries.jsonl')) ? folder : undefined
}

interface ToolSearchOptions {
  /** Take every n-th query. */
  readonly every?: number
  /** How many tools of other catalogs stand beside the pool. */
  readonly strangers?: number
  /** Search by meaning, too. */
  readonly vector?: VectorFacts
}

/** The quality of a set over its pool. */
export async function measureToolSearch(
  folder: string,
  set: string,
  { every = 1, strangers = 0, vector }: ToolSearchOptions = {},
): Promise<Measured | undefined> {
  const queries = jsonLines<ToolQuery>(join(folder, 'toolqueries.jsonl')).filter(({ source }) => source === set)
  const pool = queries[0]?.pool
  if (pool === undefined) return undefined
  const api = createSessionApi()
  const names = { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' }
  await api.open({ session: SESSION, maxIndexBytes: 2 ** 28, names, lostLabels: [], ...(vector && { vector }) })
  for (const [alias, docs] of poolDocs(folder, pool, strangers)) await api.catalog({ session: SESSION, alias, docs })
  while ((await api.status({})).unembedded > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  const qualities: Quality[] = []
  for (const query of queries.filter((_, n) => n % every === 0)) {
    qualities.push(qualityOf(await foundBy(api, query.query), gainsOf(query)))
  }
  await api.close({ session: SESSION })
  return measured(qualities)
}

// --- internal ---

const SESSION = 'tools'
const DEFAULTS: PrepareOptions = {
  compress: true,
  dialect: 'none',
  descriptionBudget: 280,
  withoutOutputSchema: true,
  disclosure: false,
  readTool: 'IndexRead',
  costs: false,
}
/** Catalogs whose tools stand beside a pool, in their order. */
const STRANGERS = ['toolsets/mcp-zero.jsonl', 'toolsets/docker-registry.jsonl']
const HIT = /^\[1\.\d+\] mcp\/(.+?)\/tool\/(.+?) — /gm

interface ToolQuery {
  readonly id: string
  readonly query: string
  /** `server/tool`. */
  readonly relevant: readonly string[]
  readonly grades?: Readonly<Record<string, number>>
  readonly source: string
  readonly pool: string
}

interface Pool {
  readonly jsonl?: string
  readonly servers?: readonly string[]
}

interface Tool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: unknown
  readonly annotations?: { readonly title?: string }
}

interface ListedTool extends Tool {
  readonly server: string
}

interface ServerFile {
  readonly tools: readonly Tool[]
  readonly serverInfo?: { readonly name?: string; readonly title?: string }
}

/** The documents of a pool's servers, made as the gateway makes them. */
function poolDocs(folder: string, name: string, strangers: number): Map<string, Uint8Array> {
  const pools = JSON.parse(readFileSync(join(folder, 'pools.json'), 'utf8')) as Record<string, Pool>
  const { jsonl, servers = [] } = pools[name] ?? {}
  const own = jsonl ? jsonLines<ListedTool>(join(folder, jsonl)) : []
  const files = servers.map((alias) => [alias, serverFile(folder, alias)] as const)
  const named = new Set([...own, ...files.flatMap(([, { tools }]) => tools)].map((tool) => nameKey(tool.name)))
  const others = strangers === 0 ? [] : strangersIn(folder, servers).filter((tool) => !named.has(nameKey(tool.name)))
  const made = new Map<string, Uint8Array>()
  for (const [alias, tools] of byServer([...own, ...others.slice(0, strangers)])) {
    made.set(alias, docsOf({ alias, name: alias }, tools))
  }
  for (const [alias, { tools, serverInfo }] of files) {
    const title = serverInfo?.title ?? serverInfo?.name
    made.set(alias, docsOf({ alias, name: alias, ...(title !== undefined && { title }) }, tools))
  }
  return made
}

function serverFile(folder: string, alias: string): ServerFile {
  return JSON.parse(readFileSync(join(folder, 'tools', `${alias}.json`), 'utf8')) as ServerFile
}

/** Tools of other catalogs; no label tells the one of a pool from another of the same name. */
function strangersIn(folder: string, servers: readonly string[]): ListedTool[] {
  const live = readdirSync(join(folder, 'tools')).map((file) => file.replace(/\.json$/, ''))
  return [
    ...STRANGERS.flatMap((file) => jsonLines<ListedTool>(join(folder, file))),
    ...live
      .filter((alias) => !servers.includes(alias))
      .flatMap((alias) => serverFile(folder, alias).tools.map((tool) => ({ ...tool, server: alias }))),
  ]
}

function byServer(tools: readonly ListedTool[]): Map<string, Tool[]> {
  const servers = new Map<string, Tool[]>()
  for (const { server, ...tool } of tools) servers.set(server, [...(servers.get(server) ?? []), tool])
  return servers
}

function docsOf(server: CatalogServer, tools: readonly Tool[]): Uint8Array {
  const items = tools.map((tool) => ({ key: tool.name, exposed: `${server.alias}__${tool.name}`, json: JSON.stringify(tool) }))
  const lists = { tools: items, resources: [], resourceTemplates: [], prompts: [] }
  return prepareServer({ server, lists, options: DEFAULTS }).docs
}

/** Best first, as `server/tool`. */
async function foundBy(api: SessionApi, query: string): Promise<string[]> {
  const ask = { session: SESSION, queries: [query], source: 'mcp/', limit: 20, searchWaitMs: 0, deferring: true }
  const { text } = await api.search(ask)
  return [...text.matchAll(HIT)].map(([, server, tool]) => `${server}/${tool}`)
}

function gainsOf({ relevant, grades }: ToolQuery): Map<string, number> {
  return new Map([...relevant.map((tool) => [tool, 1] as const), ...Object.entries(grades ?? {})])
}
