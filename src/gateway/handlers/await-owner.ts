/** Waiting for the server of a name that no list has shown yet: it may still be starting, or be down. */
import { aliasIn } from '../../catalog/names.js'
import type { Upstream } from '../../upstream/upstream.js'
import type { Call } from '../call.js'
import type { SessionContext } from '../session-context.js'

/**
 * With a server's alias in front, tries that server at once, rejects with its cause if it is down, and returns it; otherwise waits
 * for the first attempt of every server that is still out.
 */
export async function awaitOwner(context: SessionContext, call: Call, exposed: string): Promise<Upstream | undefined> {
  const upstreams = context.upstreams.all()
  const alias = aliasIn(
    exposed,
    upstreams.map((upstream) => upstream.server.alias),
  )
  const named = alias === undefined ? undefined : context.upstreams.byAlias(alias)
  if (named) await named.ready(call.signal)
  else await firstAttempts(context)
  context.settleNames()
  return named
}

/** Resolves when every server has tried to start once, its lists included, which come after its answer to `initialize`. */
export async function firstAttempts(context: SessionContext): Promise<void> {
  await Promise.all(context.upstreams.all().map((upstream) => upstream.firstAttempt))
  context.settleNames()
}
