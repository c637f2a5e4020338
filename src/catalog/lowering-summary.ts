/** What was lowered of a server's tools, in short: each kind of change with the tools it was done to. */
import type { Repair } from '../protocol/catalog-api.js'

export interface LoweringSummary {
  readonly what: string
  readonly why: string
  readonly tools: number
  /** Names of the first of them. */
  readonly such: readonly string[]
}

/** The most frequent first. Everything that was done to one tool: see `lowerTool`. */
export function loweringSummary(lowered: readonly Repair[]): LoweringSummary[] {
  const byWhat = new Map<string, { why: string; tools: string[] }>()
  for (const { tool, what, why } of lowered) {
    const kind = what.replace(PLACES, '')
    const known = byWhat.get(kind)
    if (known) known.tools.push(tool)
    else byWhat.set(kind, { why, tools: [tool] })
  }
  return [...byWhat]
    .map(([what, { why, tools }]) => ({ what, why, tools: tools.length, such: tools.slice(0, SHOWN) }))
    .sort((a, b) => b.tools - a.tools)
}

// --- internal ---

const SHOWN = 5
const PLACES = / \(\d+ places\)$/
