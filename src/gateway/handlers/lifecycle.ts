/** `initialize` and `ping`. */
import { asRecord, RPC } from '../../protocol/messages.js'
import { PROTOCOL_VERSIONS } from '../../protocol/versions.js'
import { instructionsFor } from '../instructions-for.js'
import { mergeCapabilities } from '../merge-capabilities.js'
import { metaToolsOf } from '../own-entries.js'
import { RpcError } from '../rpc-error.js'
import type { Handler } from '../session-context.js'
import { settledWithin } from '../settled-within.js'

export const ping: Handler = () => '{}'

/** Starts the servers that the cache does not know, waits for them at most `initWait`, and offers what all of them offer. */
export const initialize: Handler = async (context, call) => {
  if (context.client) throw new RpcError(RPC.invalidRequest, 'the session is initialized already')
  const { protocolVersion: wanted, capabilities, clientInfo, ...more } = call.params
  if (typeof wanted !== 'string') throw new RpcError(RPC.invalidParams, 'protocolVersion is missing')
  const protocolVersion = PROTOCOL_VERSIONS.find((version) => version === wanted) ?? PROTOCOL_VERSIONS[0]
  await context.begin({
    protocolVersion,
    capabilities: asRecord(capabilities) ?? {},
    clientInfo: asRecord(clientInfo) ?? {},
    more,
  })
  const upstreams = context.upstreams.all()
  await settledWithin(
    upstreams.map((upstream) => upstream.firstAttempt),
    context.settings.initWaitMs,
  )
  const known = upstreams.flatMap((upstream) =>
    upstream.facts ? [{ alias: upstream.server.alias, facts: upstream.facts }] : [],
  )
  const only = upstreams.length === 1 && context.settings.naming === 'bare' ? known[0]?.facts : undefined
  const instructions = instructionsFor(context, only)
  return JSON.stringify({
    protocolVersion,
    capabilities: mergeCapabilities({
      known: known.map(({ facts }) => facts.capabilities),
      waiting: upstreams.some((upstream) => !upstream.facts && upstream.state !== 'stopped'),
      indexing: context.settings.responses.enabled || context.catalog.isLarge || metaToolsOf(context.settings).length > 0,
    }),
    serverInfo: only?.serverInfo ?? { name: 'sluice', title: 'Sluice', version: context.version },
    ...(instructions && { instructions }),
    ...only?.more,
  })
}
