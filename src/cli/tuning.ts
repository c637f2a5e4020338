/** What `sluice doctor --tune` suggests, from how tools were used so far. Suggests only: nothing is written. Pure. */
import * as z from 'zod'
import type { ToolFacts } from '../gateway/tool-facts.js'
import type { ToolUseReport, ToolUseSums } from '../protocol/audit-api.js'

/** What `--json` prints under `tuning`. */
export const tuningReport = z.strictObject({
  calls: z.int().describe('in the audit log'),
  needed: z.int().describe('calls before anything is suggested'),
  suggestions: z.array(
    z.strictObject({
      kind: z.enum(['pins', 'maxTools', 'exclude', 'responseThreshold']),
      /** The server whose entry it is about; null: a setting. */
      server: z.string().nullable(),
      why: z.string(),
      /** A command, or JSON for the server's entry. */
      todo: z.string(),
    }),
  ),
})

export type TuningReport = z.output<typeof tuningReport>
type Suggestion = TuningReport['suggestions'][number]

export interface TuningFacts {
  readonly use: ToolUseReport
  /** Every tool of every server. */
  readonly tools: readonly ToolFacts[]
  readonly pins: readonly string[]
  readonly maxTools: number
}

export function tuningOf(facts: TuningFacts): TuningReport {
  const { calls } = facts.use
  const rules = [pinsFor, maxToolsFor, excludesFor, thresholdsFor]
  return { calls, needed: NEEDED, suggestions: calls < NEEDED ? [] : rules.flatMap((rule) => rule(facts)) }
}

export function renderTuning({ calls, needed, suggestions }: TuningReport): string {
  if (calls < needed) return `Tuning: ${calls} calls are recorded; ${needed} are needed to suggest something.\n`
  if (suggestions.length === 0) return `Tuning: nothing to suggest after ${calls} calls.\n`
  const lines = suggestions.flatMap(({ server, why, todo }) => [
    `  · ${server === null ? '' : `${server}: `}${why}`,
    `    → ${server === null ? todo : `in its entry: ${todo}`}`,
  ])
  return [`Tuning, after ${calls} calls:`, ...lines, ''].join('\n')
}

// --- internal ---

const NEEDED = 50
/** A tool of which so large a part of all calls is should be at hand. */
const PIN_SHARE = 0.05
/** Tokens of a definition that is worth leaving out. */
const DEAR_DEFINITION = 150
/** Tokens of results that pass whole, on average, and calls to tell. */
const DEAR_RESULT = 1_500
const CALLS_TO_TELL = 5
const LOWER_THRESHOLD = 4_096

function pinsFor({ use, tools, pins }: TuningFacts): Suggestion[] {
  const wanted = tools.filter(
    (tool) => !tool.listed && callsOf(use, tool) >= PIN_SHARE * use.calls && !pins.includes(tool.name),
  )
  if (wanted.length === 0) return []
  const all = [...pins, ...wanted.map(({ name }) => name)]
  const counts = wanted.map((tool) => `${tool.name} (${callsOf(use, tool)} calls)`).join(', ')
  return [{ kind: 'pins', server: null, why: `often called and not listed: ${counts}`, todo: setting('pins', all) }]
}

/** Only where not all tools are listed does the setting decide. */
function maxToolsFor({ use, tools, maxTools }: TuningFacts): Suggestion[] {
  const used = tools.filter((tool) => callsOf(use, tool) > 0).length
  const isReduced = tools.some(({ listed }) => !listed)
  if (!isReduced || used === 0 || (used <= maxTools && used * 2 >= maxTools)) return []
  const why = `${used} different tools were called, and up to ${maxTools} are listed`
  return [{ kind: 'maxTools', server: null, why, todo: setting('maxTools', used) }]
}

function excludesFor({ use, tools }: TuningFacts): Suggestion[] {
  return [...new Set(tools.map(({ server }) => server))].flatMap((server): Suggestion[] => {
    const own = tools.filter((tool) => tool.server === server)
    const idle = own.filter((tool) => tool.listed && callsOf(use, tool) === 0)
    const tokens = idle.reduce((sum, tool) => sum + tool.tokens, 0)
    if (own.every((tool) => callsOf(use, tool) === 0)) {
      const why = `none of its ${own.length} tools was called; those listed take ${tokens} tokens in every request`
      return tokens < DEAR_DEFINITION ? [] : [{ kind: 'exclude', server, why, todo: '"disabled": true' }]
    }
    const dear = idle.filter((tool) => tool.tokens >= DEAR_DEFINITION)
    if (dear.length === 0) return []
    const spent = dear.reduce((sum, tool) => sum + tool.tokens, 0)
    const why = `${dear.length} listed tools were never called and take ${spent} tokens in every request`
    return [{ kind: 'exclude', server, why, todo: `"exclude": ${JSON.stringify(dear.map(({ tool }) => tool))}` }]
  })
}

function thresholdsFor({ use }: TuningFacts): Suggestion[] {
  return [...new Set(use.tools.map(({ server }) => server))].flatMap((server): Suggestion[] => {
    const dear = use.tools.filter((tool) => tool.server === server && meanOf(tool) >= DEAR_RESULT)
    if (dear.length === 0) return []
    const why = `results that pass whole are long: ${dear.map((tool) => `${tool.tool} (${Math.round(meanOf(tool))} tokens)`).join(', ')}`
    const limits = Object.fromEntries(dear.map(({ tool }) => [tool, LOWER_THRESHOLD]))
    return [{ kind: 'responseThreshold', server, why, todo: `"responseThreshold": ${JSON.stringify(limits)}` }]
  })
}

/** Tokens of a result that was not indexed; 0 where there are too few to tell. */
function meanOf({ calls, receipts, passedTokens }: ToolUseSums): number {
  const passed = calls - receipts
  return passed < CALLS_TO_TELL ? 0 : passedTokens / passed
}

function callsOf({ tools }: ToolUseReport, { server, tool }: ToolFacts): number {
  return tools.find((sums) => sums.server === server && sums.tool === tool)?.calls ?? 0
}

function setting(key: string, value: unknown): string {
  return `sluice config set ${key} ${typeof value === 'number' ? value : `'${JSON.stringify(value)}'`}`
}
