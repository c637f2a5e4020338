/** The gateway's own tools: their definitions, and reading their arguments however a model writes them. */
import type { ToolNames } from '../protocol/session-api.js'
import { argumentsOf, foundText, textsOf, wholeNumber } from './tool-arguments.js'

export interface SearchRequest {
  readonly queries: readonly string[]
  readonly source?: string
  readonly limit: number
}

export interface ReadRequest {
  readonly label: string
  readonly offset: string
  readonly limit: number
}

/** A request, or what is wrong with the arguments and what to write instead. */
export type Parsed<T> = { readonly ok: T } | { readonly fault: string }

const DEFAULT_HITS = 5
const MAX_HITS = 20
const DEFAULT_LINES = 200

/** What there is to search, which the descriptions say. */
export interface OwnToolsScope {
  readonly names: ToolNames
  /** Large responses are indexed. */
  readonly responses: boolean
  /** The catalog is indexed, and not all of it is listed. */
  readonly deferring: boolean
}

export function searchToolDefinition({ names, responses, deferring }: OwnToolsScope): object {
  const tools = `Finds tools of all servers, most of which are not listed: say what the tool should do (source="mcp/").`
  const texts =
    'Searches the large tool responses that were indexed instead of shown. Give the words, names or quoted phrases you look for.'
  const hits = deferring
    ? ' Hits come with the schema and how to call the tool at once.'
    : ` Hits come with numbered lines; ${names.read} reads around them.`
  return {
    name: names.search,
    title: deferring ? 'Search tools and indexed responses' : 'Search indexed responses',
    description: [...(deferring ? [tools] : []), ...(responses ? [texts] : [])].join(' ') + hits,
    inputSchema: {
      type: 'object',
      properties: {
        queries: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'One or more searches' },
        source: { type: 'string', description: 'Only sources whose label starts with this' },
        limit: { type: 'integer', minimum: 1, maximum: MAX_HITS, default: DEFAULT_HITS, description: 'Hits per query' },
      },
      required: ['queries'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }
}

export function readToolDefinition({ names, responses, deferring }: OwnToolsScope): object {
  const what = [
    ...(responses ? ['an indexed response'] : []),
    ...(deferring ? ['the whole definition of a tool, or the instructions of a server'] : []),
  ].join(', ')
  const example = deferring ? 'Such as "mcp/github/tool/create_issue"' : 'Such as "filesystem__read_file:3"'
  return {
    name: names.read,
    title: deferring ? 'Read what is indexed' : 'Read an indexed response',
    description: `Reads lines of ${what} by its label, from a receipt or a hit of ${names.search}.`,
    inputSchema: {
      type: 'object',
      properties: {
        label: { type: 'string', description: example },
        offset: { type: 'string', default: '1', description: 'First line, or a part of a long line such as "7-3"' },
        limit: { type: 'integer', minimum: 1, default: DEFAULT_LINES, description: 'Number of lines' },
      },
      required: ['label'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }
}

export function callToolDefinition({ names }: OwnToolsScope): object {
  return {
    name: names.call,
    title: 'Call any tool',
    description:
      `Calls any tool of the servers by its name, listed or not; ${names.search} finds it and shows its parameters. ` +
      'The label of a prompt or resource as name gives its messages or contents.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the tool' },
        arguments: { type: 'object', description: 'Arguments of the tool' },
      },
      required: ['name'],
    },
  }
}

export function parseSearchRequest(raw: unknown, tool: string): Parsed<SearchRequest> {
  const args = argumentsOf(raw)
  const given = args['queries'] ?? args['query']
  const queries = textsOf(given)
  if (queries.length === 0) {
    return { fault: `queries: ${foundText(given)}; write ${tool}(queries=["<words to look for>"])` }
  }
  const source = args['source']
  if (source !== undefined && source !== null && typeof source !== 'string') {
    return { fault: `source: ${foundText(source)}; write the beginning of a label as a string` }
  }
  const limit = wholeNumber(args['limit'] ?? DEFAULT_HITS)
  if (limit === undefined) return { fault: `limit: ${foundText(args['limit'])}; write a whole number from 1 to ${MAX_HITS}` }
  return { ok: { queries, limit: Math.min(MAX_HITS, Math.max(1, limit)), ...(source && { source }) } }
}

export function parseReadRequest(raw: unknown, tool: string): Parsed<ReadRequest> {
  const args = argumentsOf(raw)
  const label = args['label']
  if (typeof label !== 'string' || label === '') {
    return { fault: `label: ${foundText(label)}; write ${tool}(label="<label of a receipt or hit>")` }
  }
  const offset = args['offset'] ?? '1'
  if (typeof offset !== 'string' && typeof offset !== 'number') {
    return { fault: `offset: ${foundText(offset)}; write a line such as "41" or a part of a line such as "7-3"` }
  }
  const limit = wholeNumber(args['limit'] ?? DEFAULT_LINES)
  if (limit === undefined || limit < 1) {
    return { fault: `limit: ${foundText(args['limit'])}; write a whole number of lines from 1` }
  }
  // Receipts write lines as L42.
  return {
    ok: {
      label,
      offset: String(offset)
        .trim()
        .replace(/^L(?=\d)/i, ''),
      limit,
    },
  }
}
