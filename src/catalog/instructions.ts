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
 * First how to search, then which servers there are and what for. All servers are told of alike as far as there is room: their names,
 * then the beginning of what they are for, then more of it, then the names of their tools, then the contents of their instructions.
 * Where one of these does not fit for all, those that come first in the configuration have it. Where not even all names fit, the rest
 * is counted.
 */
export function renderGuide(options: GuideOptions): string {
  const head = headOf(options)
  const { servers, maxBytes } = options
  const lines = servers.map((server) => line(server, {}))
  let room = maxBytes - utf8Length([head, ...lines].join('\n'))
  if (room < 0) return withNames(head, options)
  for (const detail of DETAILS) {
    let isWhole = true
    for (const [at, server] of servers.entries()) {
      const richer = line(server, detail)
      const more = utf8Length(richer) - utf8Length(lines[at] ?? '')
      if (more > room) isWhole = false
      else {
        lines[at] = richer
        room -= more
      }
    }
    if (!isWhole) break
  }
  return [head, ...lines].join('\n')
}

// --- internal ---

interface Detail {
  /** Code units of what the server is for. */
  readonly summaryChars?: number
  readonly namesTools?: boolean
  readonly contents?: boolean
}

/** From poor to rich. */
const DETAILS: readonly Detail[] = [
  { summaryChars: 28 },
  { summaryChars: 60 },
  { summaryChars: Number.MAX_SAFE_INTEGER },
  { summaryChars: Number.MAX_SAFE_INTEGER, namesTools: true },
  { summaryChars: Number.MAX_SAFE_INTEGER, namesTools: true, contents: true },
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

function line(server: ServerBrief, { summaryChars = 0, namesTools = false, contents = false }: Detail): string {
  const { alias, headings } = server
  const about = summaryChars === 0 ? '' : ellipsize(server.summary, summaryChars)
  const topics = contents && headings.length > 0 ? ` Topics: ${headings.join(', ')}.` : ''
  return `- ${alias} (${namesTools ? namesOf(server) : counts(server)})${about === '' ? '' : `: ${about}`}${topics}`
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
