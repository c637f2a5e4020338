/** What `initialize` tells a client about the servers: everything where it is little, a guide to the index where it is not. Pure. */
import { ellipsize, headWithin, utf8Length } from '../base/utf8.js'
import type { ToolNames } from '../protocol/session-api.js'

/** A server as the instructions speak of it. */
export interface ServerBrief {
  readonly alias: string
  /** What it is for, on one line; may be empty. */
  readonly summary: string
  /** Headings of its own instructions. */
  readonly headings: readonly string[]
  readonly tools: readonly string[]
  readonly resources: number
  readonly prompts: number
  /** Its lists are not known yet. */
  readonly isStarting: boolean
}

export interface GuideOptions {
  readonly servers: readonly ServerBrief[]
  readonly names: ToolNames
  /** Large responses are indexed, too. */
  readonly indexesResponses: boolean
  /** UTF-8 bytes. */
  readonly maxBytes: number
}

/** How to use receipts. */
export function responsesHint({ search, read }: ToolNames): string {
  return (
    `Large responses of these servers are indexed and shown as a receipt with a label. ${search} finds passages in them, ` +
    `${read} reads their lines; nothing is lost.`
  )
}

/**
 * First how to search, then which servers there are and what for. The richest of these that fits: with the contents of their
 * instructions and the names of their tools; with the names; with the number of tools; with shorter summaries; with the servers'
 * names alone, as many as there is room for.
 */
export function renderGuide(options: GuideOptions): string {
  const head = headOf(options)
  const { servers, maxBytes } = options
  for (const style of STYLES) {
    const text = [head, ...servers.map((server) => style(server))].join('\n')
    if (utf8Length(text) <= maxBytes) return text
  }
  return withNames(head, options)
}

// --- internal ---

type Style = (server: ServerBrief) => string

const SHORT_SUMMARY = 60
const SHORTEST_SUMMARY = 28

const STYLES: readonly Style[] = [
  (server) => line(server, { contents: true, tools: namesOf(server) }),
  (server) => line(server, { contents: false, tools: namesOf(server) }),
  (server) => line(server, { contents: false, tools: counts(server) }),
  (server) => line(server, { contents: false, tools: counts(server), summaryChars: SHORT_SUMMARY }),
  (server) => line(server, { contents: false, tools: counts(server), summaryChars: SHORTEST_SUMMARY }),
]

function headOf({ names, indexesResponses }: GuideOptions): string {
  const { search, read, call } = names
  const responses = indexesResponses ? ' Large responses are indexed as well; their receipt gives the label.' : ''
  return (
    `Not all tools of these servers are listed. Find any of them: ${search}(queries=["what it should do"], source="mcp/"). ` +
    `Call it at once: ${call}(name="<name>", arguments={...}). Read a definition or a server's instructions: ` +
    `${read}(label="mcp/<server>/tool/<name>") or ${read}(label="mcp/<server>").${responses}\nServers:`
  )
}

interface LineParts {
  readonly contents: boolean
  readonly tools: string
  readonly summaryChars?: number
}

function line({ alias, summary, headings }: ServerBrief, { contents, tools, summaryChars }: LineParts): string {
  const about = summaryChars === undefined ? summary : ellipsize(summary, summaryChars)
  const topics = contents && headings.length > 0 ? ` Topics: ${headings.join(', ')}.` : ''
  return `- ${alias} (${tools})${about === '' ? '' : `: ${about}`}${topics}`
}

function namesOf(server: ServerBrief): string {
  return server.tools.length === 0 ? counts(server) : `${counts(server)}: ${server.tools.join(', ')}`
}

function counts({ tools, resources, prompts, isStarting }: ServerBrief): string {
  if (isStarting) return 'starting'
  const parts = [
    many(tools.length, 'tool'),
    ...(resources > 0 ? [many(resources, 'resource')] : []),
    ...(prompts > 0 ? [many(prompts, 'prompt')] : []),
  ]
  return parts.join(', ')
}

function many(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

function withNames(head: string, { servers, maxBytes, names }: GuideOptions): string {
  const more = (left: number) => `, … ${left} more: ${names.search}(queries=["..."], source="mcp/")`
  let text = `${head} `
  for (const [at, server] of servers.entries()) {
    const next = `${at === 0 ? '' : ', '}${server.alias} (${server.isStarting ? 'starting' : server.tools.length})`
    const left = servers.length - at - 1
    if (utf8Length(text) + utf8Length(next) + (left > 0 ? utf8Length(more(left)) : 0) > maxBytes) {
      return headWithin(text + more(left + 1), maxBytes)
    }
    text += next
  }
  return headWithin(text, maxBytes)
}
