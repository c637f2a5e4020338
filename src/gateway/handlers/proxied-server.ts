/** Where the gateway is a transparent proxy, what it does not know is the server's to answer. */
import type { Upstream } from '../../upstream/upstream.js'
import type { SessionContext } from '../session-context.js'

/** The configuration's only server, if names are bare; one that a fault disabled counts, since a name may be meant for it. */
export function proxiedServer({ config, upstreams }: SessionContext): Upstream | undefined {
  if (config.settings.naming !== 'bare' || config.disabled.length > 0) return undefined
  const [only, ...others] = upstreams.all()
  return others.length === 0 ? only : undefined
}
