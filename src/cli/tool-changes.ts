/** What the gateway has changed of a server's tools. */
import { NAME_SEPARATOR } from '../catalog/names.js'
import type { SessionContext } from '../gateway/session-context.js'
import type { Repair } from '../protocol/catalog-api.js'
import type { Upstream } from '../upstream/upstream.js'

interface RenamedTool {
  /** The server's own name of it. */
  readonly tool: string
  /** The exposed name. */
  readonly name: string
}

export function repairsOf({ catalog }: SessionContext, upstream: Upstream): readonly Repair[] {
  return stocked(catalog, upstream)?.prepared.repairs ?? []
}

/** What was lowered for the client's LLM API. */
export function loweringsOf({ catalog }: SessionContext, upstream: Upstream): readonly Repair[] {
  return stocked(catalog, upstream)?.prepared.lowered ?? []
}

/** Tools whose exposed name is not the one that alias and name make: too long, of other characters, or taken. */
export function renamedTools({ catalog, settings }: SessionContext, upstream: Upstream): RenamedTool[] {
  const prefix = settings.naming === 'bare' ? '' : `${upstream.server.alias}${NAME_SEPARATOR}`
  const entries = stocked(catalog, upstream)?.entries.tools ?? []
  return entries.flatMap(({ key, exposed }) => (exposed === `${prefix}${key}` ? [] : [{ tool: key, name: exposed }]))
}

/** Tools of the server's that no client is given, though its entry does not hide them. */
export function leftOut({ catalog, filters }: SessionContext, upstream: Upstream): string[] {
  const entries = stocked(catalog, upstream)?.entries.tools
  if (!entries) return []
  const offered = new Set(entries.map(({ key }) => key))
  return upstream.list('tools').flatMap(({ key }) => (offered.has(key) || !filters.allows(upstream.server, key) ? [] : [key]))
}

// --- internal ---

function stocked(catalog: SessionContext['catalog'], upstream: Upstream) {
  return catalog.servers().find((server) => server.upstream === upstream)
}
