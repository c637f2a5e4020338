/** The servers that all sessions share: one instance each for the whole process. Each session is told what such a server says, and takes what is for it. */
import { packageFacts } from '../base/version.js'
import type { ServerConfig } from '../config/config.js'
import { errorFrame } from '../protocol/frame.js'
import { RPC } from '../protocol/messages.js'
import { createUpstream } from './supervised-upstream.js'
import type { ClientFacts, Upstream, UpstreamListener } from './upstream.js'
import type { UpstreamOptions } from './upstream-options.js'

/** What all upstreams have in common. */
export type UpstreamSettings = Omit<UpstreamOptions, 'server' | 'client' | 'listener'>

export interface SharedUpstreams {
  /** Undefined if the server is not shared. */
  byName(name: string): Upstream | undefined
  /**
   * The listener hears of all shared servers until the function that comes back is called, which ends what only that session had
   * asked of them.
   */
  attach(listener: UpstreamListener): () => void
  stop(): Promise<void>
}

/** Nothing is started before somebody asks for it. */
export function createSharedUpstreams(servers: readonly ServerConfig[], settings: UpstreamSettings): SharedUpstreams {
  const listeners = new Set<UpstreamListener>()
  const listener = fanOut(listeners)
  const upstreams = new Map<string, Upstream>()
  for (const server of servers) {
    if (server.instances !== 'shared') continue
    upstreams.set(server.name, createUpstream({ ...settings, server, client: gatewayAsClient, listener }))
  }
  return {
    byName: (name) => upstreams.get(name),
    attach: (own) => {
      listeners.add(own)
      return () => {
        listeners.delete(own)
        for (const upstream of upstreams.values()) upstream.orders.leave(own)
      }
    },
    stop: async () => {
      await Promise.all([...upstreams.values()].map((upstream) => upstream.stop()))
    },
  }
}

// --- internal ---

/** No sampling, elicitation or roots: nothing says whose they would be. */
function gatewayAsClient(): ClientFacts {
  const { name, version } = packageFacts()
  return { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version } }
}

function fanOut(listeners: ReadonlySet<UpstreamListener>): UpstreamListener {
  return {
    stateChanged: (upstream) => {
      for (const listener of listeners) listener.stateChanged(upstream)
    },
    listChanged: (upstream, kind) => {
      for (const listener of listeners) listener.listChanged(upstream, kind)
    },
    // Nothing was offered that it could ask for, and many sessions must not answer one question.
    request: (upstream, { message }) => {
      const refusal = { code: RPC.methodNotFound, message: `"${message.method}" is not offered to a shared server` }
      upstream.send(errorFrame(JSON.stringify(message.id), refusal))
    },
    notification: (upstream, incoming) => {
      for (const listener of listeners) listener.notification(upstream, incoming)
    },
  }
}
