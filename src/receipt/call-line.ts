/** How a hit of the catalog is used at once, in one line. */
import type { DocKind } from '../protocol/catalog-api.js'

interface Callable {
  readonly kind: DocKind
  readonly label: string
  /** The name to call it by; of a resource its URI. */
  readonly exposed: string
}

/**
 * @param callTool the name of the calling tool, where something is deferred
 * @returns undefined for a server, which is not called
 */
export function renderCallLine({ kind, label, exposed }: Callable, callTool: string | undefined): string | undefined {
  if (kind === 'server') return undefined
  if (callTool === undefined) return DIRECTLY[kind](exposed)
  if (kind === 'tool') return `Call it: ${callTool}(name=${JSON.stringify(exposed)}, arguments={...})`
  return `Call it: ${callTool}(name=${JSON.stringify(label)})`
}

// --- internal ---

const DIRECTLY: Readonly<Record<Exclude<DocKind, 'server'>, (exposed: string) => string>> = {
  tool: (exposed) => `Call it by its name: ${exposed}`,
  prompt: (exposed) => `Get it: prompts/get name=${JSON.stringify(exposed)}`,
  resource: (exposed) => `Read it: resources/read uri=${JSON.stringify(exposed)}`,
}
