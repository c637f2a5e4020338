/** `sluice://servers`: how each server is, for a person or a model that wonders why a tool does not answer. */
import type { Upstream } from '../upstream/upstream.js'
import type { SessionContext } from './session-context.js'

export const SERVERS_URI = 'sluice://servers'

/** The JSON text of a ReadResourceResult. */
export async function serversResource(context: SessionContext): Promise<string> {
  const { upstreams, catalog } = context
  const changes = upstreams.all().map((upstream) => catalog.changesOf(upstream))
  const servers = serverFacts(context).map((facts, at) => ({ ...facts, ...changes[at] }))
  const text = JSON.stringify({ servers, catalog: await catalog.describe() }, null, 2)
  return JSON.stringify({ contents: [{ uri: SERVERS_URI, mimeType: 'application/json', text }] })
}

/** Each server's state and counts, in the order of the configuration; behind them those that are disabled. */
export function serverFacts({ upstreams, config }: SessionContext): object[] {
  return [
    ...upstreams.all().map((upstream) => describe(upstream, config.redact)),
    ...config.disabled.map(({ name, reason }) => ({ name, state: 'disabled', lastError: config.redact(reason) })),
  ]
}

// --- internal ---

function describe(upstream: Upstream, redact: (text: string) => string): object {
  const { server, state, cached, facts, lastError, listFaults, restarts, startedAt } = upstream
  const faults = [...listFaults].map(([kind, fault]) => [kind, redact(fault)])
  return {
    name: server.name,
    alias: server.alias,
    wire: server.wire.kind,
    instances: server.instances,
    state,
    cached: cached || undefined,
    server: facts?.serverInfo['name'],
    version: facts?.serverInfo['version'],
    protocolVersion: facts?.protocolVersion,
    tools: upstream.list('tools').length,
    resources: upstream.list('resources').length,
    prompts: upstream.list('prompts').length,
    listFaults: faults.length > 0 ? Object.fromEntries(faults) : undefined,
    restarts,
    startedAt: startedAt === undefined ? undefined : new Date(startedAt).toISOString(),
    lastError: lastError && { code: lastError.code, detail: redact(lastError.detail) },
  }
}
