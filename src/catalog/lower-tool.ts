/** Lowers a tool to what an LLM API takes, for lists and for whoever asks what would be done to it. */
import { ellipsize } from '../base/utf8.js'
import type { SchemaDialect } from '../protocol/catalog-api.js'
import { asRecord } from '../protocol/messages.js'
import { lowerSchema } from './lower-schema.js'
import { cutAtWord } from './prose.js'
import type { ToolRepair } from './repair-tool.js'

type Tool = Readonly<Record<string, unknown>>

export interface LoweredTool {
  /** `tool` itself where nothing was done. */
  readonly tool: Tool
  /** What was lowered, and why: "exclusiveMinimum written as minimum (2 places)". */
  readonly lowered: readonly ToolRepair[]
}

/**
 * Lowers the inputSchema of a tool that has no faults (see repair-tool); what that no longer says as a whole goes into the tool's
 * description. Upstreams get the arguments as they are sent.
 * @param descriptionBudget UTF-16 code units that a description may have, the note included; 0: no limit
 */
export function lowerTool(tool: Tool, dialect: SchemaDialect, descriptionBudget: number): LoweredTool {
  const root = asRecord(tool['inputSchema'])
  if (!root || dialect === 'none') return { tool, lowered: [] }
  const { schema, note, lowered } = lowerSchema(root, dialect)
  if (schema === root) return { tool, lowered }
  const description = describedWith(tool['description'], note, descriptionBudget)
  return { tool: { ...tool, ...(note !== '' && { description }), inputSchema: schema }, lowered }
}

// --- internal ---

/** Of a short budget the note takes half at most. */
function describedWith(description: unknown, note: string, budget: number): string {
  const own = typeof description === 'string' ? description : ''
  if (budget === 0) return own === '' ? note : `${own}\n\n${note}`
  const short = ellipsize(note, own === '' ? budget : Math.floor(budget / 2))
  return own === '' ? short : `${cutAtWord(own, Math.max(1, budget - short.length - 1))} ${short}`
}
