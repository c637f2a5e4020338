/** Every tool that a session can call: whether its client is given it, what it costs, and why it is not listed. */
import { nameMatcher } from '../catalog/name-matcher.js'
import type { Upstream } from '../upstream/upstream.js'
import type { SessionContext } from './session-context.js'

export interface ToolFacts {
  /** The exposed name. */
  readonly name: string
  /** The server's key in the configuration file. */
  readonly server: string
  /** The server's own name of it. */
  readonly tool: string
  readonly listed: boolean
  /** A pin names it, for which there is no room. */
  readonly isUnfitPin: boolean
  /** o200k tokens of its entry as it would be listed. */
  readonly tokens: number
  /** JSON text of its entry as it would be listed. */
  readonly json: string
}

/** In the order of the configuration. Counts what was not counted so far, and plans the list if nobody has asked for it yet. */
export async function toolFacts({ catalog }: SessionContext): Promise<ToolFacts[]> {
  await catalog.describe()
  catalog.plan()
  const { unfitPins } = await catalog.describe()
  return catalog.servers().flatMap(({ name: server, entries }) =>
    entries.tools.map(({ exposed: name, key: tool, tokens, json }) => {
      return { name, server, tool, listed: catalog.isListed('tools', name), isUnfitPin: unfitPins.includes(name), tokens, json }
    }),
  )
}

/** The server's own names of tools that its entry hides. */
export function hiddenTools({ filters }: SessionContext, upstream: Upstream): string[] {
  return upstream.list('tools').flatMap(({ key }) => (filters.allows(upstream.server, key) ? [] : [key]))
}

/** Why a tool that can be called is not listed. */
export function whyDeferred({ settings }: SessionContext, { server, isUnfitPin }: ToolFacts): string {
  const { mode, allowlist, maxTools, contextBudget } = settings.catalog
  const ceilings = `contextBudget (${contextBudget} tokens), maxTools (${maxTools}) and thresholdBytes`
  if (isUnfitPin) return `its pin found no room below ${ceilings}`
  if (mode === 'manual' && !nameMatcher(allowlist)(server))
    return 'mode is manual, and it is neither pinned nor is its server in allowlist'
  return `others go before it below ${ceilings}; pin it to have it listed`
}
