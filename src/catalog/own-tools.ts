/** The gateway's own tools: their definitions, and reading their arguments however a model writes them. */
import { asRecord } from '../protocol/messages.js'

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

export function searchToolDefinition(names: { search: string; read: string }): object {
  return {
    name: names.search,
    title: 'Search indexed responses',
    description:
      'Searches the large tool responses that were indexed instead of shown. Give the words, names or quoted phrases you look ' +
      `for. Hits come with numbered lines; ${names.read} reads around them.`,
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

export function readToolDefinition(names: { search: string; read: string }): object {
  return {
    name: names.read,
    title: 'Read an indexed response',
    description: `Reads lines of an indexed response by its label, from a receipt or a hit of ${names.search}.`,
    inputSchema: {
      type: 'object',
      properties: {
        label: { type: 'string', description: 'Such as "filesystem__read_file:3"' },
        offset: { type: 'string', default: '1', description: 'First line, or a part of a long line such as "7-3"' },
        limit: { type: 'integer', minimum: 1, default: DEFAULT_LINES, description: 'Number of lines' },
      },
      required: ['label'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }
}

export function parseSearchRequest(raw: unknown, tool: string): Parsed<SearchRequest> {
  const args = argumentsOf(raw)
  const given = args['queries'] ?? args['query']
  const queries = queriesOf(given)
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

// --- internal ---

/** Models send arguments as an object or as a JSON string, the latter sometimes wrapped twice. */
function argumentsOf(raw: unknown): Readonly<Record<string, unknown>> {
  let value = raw
  for (let depth = 0; depth < 2 && typeof value === 'string'; depth++) value = parsed(value)
  return asRecord(value) ?? {}
}

function queriesOf(given: unknown): string[] {
  const value = typeof given === 'string' && given.trimStart().startsWith('[') ? (parsed(given) ?? given) : given
  const list = Array.isArray(value) ? value : [value]
  return list
    .filter((query) => typeof query === 'string' || typeof query === 'number')
    .map(String)
    .filter((query) => query.trim() !== '')
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : undefined
}

function foundText(value: unknown): string {
  if (value === undefined) return 'is missing'
  const text = JSON.stringify(value) ?? String(value)
  return `found ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
