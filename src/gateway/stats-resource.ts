/** `sluice://stats`: what all sessions on this machine have called, what was kept out of their context, and what that cost. */
import { RPC } from '../protocol/messages.js'
import { RpcError } from './rpc-error.js'
import type { SessionContext } from './session-context.js'

export const STATS_URI = 'sluice://stats'

/** The JSON text of a ReadResourceResult, whose text is a StatsReport. */
export async function statsResource({ audit }: SessionContext): Promise<string> {
  if (!audit)
    throw new RpcError(RPC.resourceNotFound, 'Resource not found: nothing is recorded (stats: false)', { uri: STATS_URI })
  const text = JSON.stringify(await audit.stats(), null, 2)
  return JSON.stringify({ contents: [{ uri: STATS_URI, mimeType: 'application/json', text }] })
}
