/** What the headers of a request to `/mcp` say: which answers it takes, of which revision it is, whether its body is JSON. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Refusal } from './reply.js'

/** The revisions of MCP served here, oldest first. Dates, so they compare as strings. */
const REVISIONS: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

/** The first revision whose clients understand an event without data. */
export const FIRST_WITH_PRIMING = '2025-11-25'

export interface Accepts {
  readonly json: boolean
  readonly events: boolean
  /** It takes both and names the stream first, or takes nothing else: an answer comes as an event. */
  readonly eventsFirst: boolean
}

/** Reads an Accept header; without one everything is welcome. */
export function acceptsOf(header: string | undefined): Accepts {
  if (header === undefined || header === USUAL_ACCEPT) return ACCEPTS_ALL
  const types = header.toLowerCase().split(',').filter(isWanted).map(essence)
  const json = types.findIndex((type) => type === '*/*' || type === 'application/json' || type === 'application/*')
  const events = types.findIndex((type) => type === '*/*' || type === 'text/event-stream' || type === 'text/*')
  return { json: json >= 0, events: events >= 0, eventsFirst: events >= 0 && (json < 0 || events < json) }
}

export function revisionFault(headers: IncomingHttpHeaders): Refusal | undefined {
  const revision = headers['mcp-protocol-version']
  if (revision === undefined || (typeof revision === 'string' && REVISIONS.includes(revision))) return undefined
  return { status: 400, message: `Unsupported MCP-Protocol-Version "${revision}"; supported: ${REVISIONS.join(', ')}` }
}

export function contentFault(headers: IncomingHttpHeaders): Refusal | undefined {
  const type = headers['content-type'] ?? ''
  if (essence(type.toLowerCase()) !== 'application/json') {
    return { status: 415, message: `Unsupported Content-Type "${type}"; send application/json` }
  }
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() === 'identity') return undefined
  return { status: 415, message: `Unsupported Content-Encoding "${encoding}"; send the body as it is` }
}

/** The one value of a header of ours; Node joins repeated ones, and such a value then fits nothing. */
export function headerOf(headers: IncomingHttpHeaders, name: 'mcp-session-id' | 'last-event-id'): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

// --- internal ---

/** What the clients of the SDK send. */
const USUAL_ACCEPT = 'application/json, text/event-stream'
const ACCEPTS_ALL: Accepts = { json: true, events: true, eventsFirst: false }

function essence(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim()
}

function isWanted(type: string): boolean {
  return !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(type)
}
