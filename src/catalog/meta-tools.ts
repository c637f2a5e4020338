/** Tools under the names that CtxSlim gave them, for prompts that use them: their definitions, and reading their arguments. */
import type { ToolNames } from '../protocol/session-api.js'
import type { Parsed } from './own-tools.js'
import { argumentsOf, foundText, textsOf, wholeNumber } from './tool-arguments.js'

export type MetaTool = 'search_tools' | 'describe_tools' | 'enable_tools' | 'list_servers' | 'slim_stats'

export interface ToolQuery {
  readonly queries: readonly string[]
  readonly limit: number
}

export function metaToolDefinition(name: MetaTool, names: ToolNames): object {
  const { description, properties = {}, required = [] } = DEFINITIONS[name](names)
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, ...(required.length > 0 && { required }) },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }
}

export function parseToolQuery(raw: unknown): Parsed<ToolQuery> {
  const args = argumentsOf(raw)
  const given = args['query'] ?? args['queries'] ?? args['q']
  const queries = textsOf(given)
  if (queries.length === 0) return { fault: `query: ${foundText(given)}; write search_tools(query="<what it should do>")` }
  const limit = wholeNumber(args['limit'] ?? DEFAULT_HITS)
  if (limit === undefined) return { fault: `limit: ${foundText(args['limit'])}; write a whole number from 1 to ${MAX_HITS}` }
  return { ok: { queries, limit: Math.min(MAX_HITS, Math.max(1, limit)) } }
}

/** Names as a list, one alone, with commas, or as JSON. */
export function parseToolNames(raw: unknown, tool: MetaTool): Parsed<readonly string[]> {
  const args = argumentsOf(raw)
  const given = args['names'] ?? args['name'] ?? args['tools'] ?? args['tool']
  const names = textsOf(given).flatMap((text) => text.split(/[,\s]+/).filter((name) => name !== ''))
  if (names.length === 0) return { fault: `names: ${foundText(given)}; write ${tool}(names=["<name of a tool>"])` }
  return { ok: [...new Set(names)].slice(0, MAX_NAMES) }
}

// --- internal ---

const DEFAULT_HITS = 10
const MAX_HITS = 20
const MAX_NAMES = 50

interface Definition {
  readonly description: string
  readonly properties?: object
  readonly required?: readonly string[]
}

const NAMES = {
  properties: { names: { type: 'array', items: { type: 'string' }, description: 'Names of tools' } },
  required: ['names'],
}

const DEFINITIONS: Readonly<Record<MetaTool, (names: ToolNames) => Definition>> = {
  search_tools: () => ({
    description: 'Finds tools of all servers, listed or not, by what they do: names with one line each.',
    properties: {
      query: { type: 'string', description: 'What the tool should do' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_HITS, default: DEFAULT_HITS },
    },
    required: ['query'],
  }),
  describe_tools: () => ({ description: 'Gives the complete definitions of tools, schemas included.', ...NAMES }),
  enable_tools: ({ call }) => ({
    description: `Adds tools to the list of tools. Any tool can be called without it: ${call}(name, arguments).`,
    ...NAMES,
  }),
  list_servers: () => ({ description: 'Lists the servers: state, and how many tools, resources and prompts each has.' }),
  slim_stats: () => ({ description: 'Tells how much of the catalog is listed, and what that costs in tokens.' }),
}
