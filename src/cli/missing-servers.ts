/** Servers whose tools are not there, and why. */
import type { SessionContext } from '../gateway/session-context.js'

export interface MissingServer {
  readonly name: string
  readonly reason: string
}

/** Those with a fault in their entry, and those that did not start. No secret is in the reasons. */
export function missingServers({ config, upstreams }: SessionContext): MissingServer[] {
  const down = upstreams.all().filter(({ facts }) => !facts)
  return [
    ...config.disabled.map(({ name, reason }) => ({ name, reason: config.redact(reason) })),
    ...down.map(({ server, lastError }) => ({
      name: server.name,
      reason: config.redact(lastError?.detail ?? 'did not start'),
    })),
  ]
}
