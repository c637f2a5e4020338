/** The servers of one session: instances of its own, and those it shares with the others. */
import type { ServerConfig } from '../config/config.js'
import type { SharedUpstreams, UpstreamSettings } from './shared-upstreams.js'
import { createUpstream } from './supervised-upstream.js'
import type { Upstream } from './upstream.js'
import type { UpstreamOptions } from './upstream-options.js'

interface UpstreamSetOptions extends UpstreamSettings, Pick<UpstreamOptions, 'client' | 'listener'> {
  readonly servers: readonly ServerConfig[]
  readonly shared: SharedUpstreams
  /** So many servers are started at a time. A call's `ready()` does not wait for its turn. */
  readonly startConcurrency: number
}

export interface UpstreamSet {
  /** In the order of the configuration. */
  all(): readonly Upstream[]
  byAlias(alias: string): Upstream | undefined
  /** Starts those that the cache does not know, in order. Resolves when the cache has been read, and waits for no server. */
  startAll(): Promise<void>
  /** Stops the session's own servers, all at once, and leaves the shared ones to the others. Idempotent. */
  stop(): Promise<void>
}

export function createUpstreamSet(options: UpstreamSetOptions): UpstreamSet {
  const { servers, shared, startConcurrency, ...settings } = options
  const own: Upstream[] = []
  const byAlias = new Map<string, Upstream>()
  for (const server of servers) {
    const common = shared.byName(server.name)
    const upstream = common ?? createUpstream({ ...settings, server })
    byAlias.set(server.alias, upstream)
    if (!common) own.push(upstream)
  }
  const all = [...byAlias.values()]
  const detach = shared.attach(settings.listener)
  let stopped = false
  return {
    all: () => all,
    byAlias: (alias) => byAlias.get(alias),
    startAll: async () => {
      await Promise.all(all.map((upstream) => upstream.recall()))
      const queue = all.filter(({ facts }) => !facts).values()
      const inTurn = async () => {
        for (const upstream of queue) {
          if (stopped) return
          upstream.start()
          await upstream.firstAttempt
        }
      }
      for (let i = 0; i < startConcurrency; i++) void inTurn()
    },
    stop: async () => {
      stopped = true
      detach()
      await Promise.all(own.map((upstream) => upstream.stop()))
    },
  }
}
