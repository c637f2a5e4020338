/** The labelled tool queries of the data folder, asked of a session's catalog through its verbs; the bench and a test use them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareServer } from '../src/compute/prepare-server.js'
import { createSessionApi } from '../src/indexer/create-session-api.js'
import type { CatalogServer, PrepareOptions } from '../src/protocol/catalog-api.js'
import type { SessionApi } from '../src/protocol/session-api.js'

/** Recall of the first and the first five hits, and nDCG of the first ten, each a mean over the queries from 0 to 1. */
export interface Quality {
  readonly recall1: number
  readonly recall5: number
  readonly ndcg10: number
}

const TOOL_QUERY_SETS: readonly string[] = [
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

/** The quality of each set over its pool. `every`: take every n-th query. */
export async function measureToolSearch(folder: string, sets = TOOL_QUERY_SETS, every = 1) {
  const queries = linesOf<ToolQuery>(join(folder, 'toolqueries.jsonl'))
  const api = createSessionApi()
  const found = new Map<string, { readonly queries: number; readonly quality: Quality }>()
  for (const set of sets) {
    const chosen = queries.filter(({ source }) => source === set).filter((_, n) => n % every === 0)
    const pool = chosen[0]?.pool
    if (pool === undefined) continue
    await openPool(api, folder, pool)
    const qualities: Quality[] = []
    for (const query of chosen) qualities.push(qualityOf(await foundBy(api, query.query), query))
    found.set(set, { queries: chosen.length, quality: meanOf(qualities) })
    await api.close({ session: SESSION })
  }
  return found
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

interface ServerFile {
  readonly tools: readonly Tool[]
  readonly serverInfo?: { readonly name?: string; readonly title?: string }
}

async function openPool(api: SessionApi, folder: string, pool: string): Promise<void> {
  const names = { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' }
  await api.open({ session: SESSION, maxIndexBytes: 2 ** 28, names, lostLabels: [] })
  for (const [alias, docs] of poolDocs(folder, pool)) {
    await api.catalog({ session: SESSION, alias, docs })
  }
}

/** The documents of a pool's servers, made as the gateway makes them. */
function poolDocs(folder: string, pool: string): Map<string, Uint8Array> {
  const { jsonl, servers } = (JSON.parse(readFileSync(join(folder, 'pools.json'), 'utf8')) as Record<string, Pool>)[pool] ?? {}
  const byServer = new Map<string, Tool[]>()
  for (const { server, ...tool } of jsonl ? linesOf<Tool & { server: string; id?: string }>(join(folder, jsonl)) : []) {
    byServer.set(server, [...(byServer.get(server) ?? []), tool])
  }
  const made = new Map([...byServer].map(([alias, tools]) => [alias, docsOf({ alias, name: alias }, tools)]))
  for (const alias of servers ?? []) {
    const { tools, serverInfo } = JSON.parse(readFileSync(join(folder, 'tools', `${alias}.json`), 'utf8')) as ServerFile
    const title = serverInfo?.title ?? serverInfo?.name
    made.set(alias, docsOf({ alias, name: alias, ...(title !== undefined && { title }) }, tools))
  }
  return made
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

function qualityOf(found: readonly string[], { relevant, grades }: ToolQuery): Quality {
  const gain = (tool: string) => 2 ** (grades?.[tool] ?? (relevant.includes(tool) ? 1 : 0)) - 1
  const dcg = (tools: readonly string[]) => tools.slice(0, 10).reduce((sum, tool, n) => sum + gain(tool) / Math.log2(n + 2), 0)
  const recall = (count: number) => found.slice(0, count).filter((tool) => relevant.includes(tool)).length / relevant.length
  const ideal = dcg([...relevant].sort((a, b) => gain(b) - gain(a)))
  return { recall1: recall(1), recall5: recall(5), ndcg10: ideal === 0 ? 0 : dcg(found) / ideal }
}

function meanOf(qualities: readonly Quality[]): Quality {
  const mean = (part: keyof Quality) => qualities.reduce((sum, quality) => sum + quality[part], 0) / qualities.length
  return { recall1: mean('recall1'), recall5: mean('recall5'), ndcg10: mean('ndcg10') }
}

function linesOf<T>(file: string): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}
