/** Which LLM API's rules hold for a client. */
import type { SchemaDialect } from '../protocol/catalog-api.js'

/**
 * By the name that a client gives itself. One that is not known, or that speaks to models of several makers, gets what both Claude's
 * and OpenAI's API take: hardly a schema is touched for it, while Gemini's rules would take constraints out of most, and clients that
 * reach Gemini know how to write for it.
 */
export function dialectOf(clientName: string): SchemaDialect {
  return KNOWN.find(([pattern]) => pattern.test(clientName))?.[1] ?? 'common'
}

// --- internal ---

const KNOWN: readonly (readonly [RegExp, SchemaDialect])[] = [
  [/claude|anthropic/i, 'claude'],
  [/codex|openai|chatgpt/i, 'openai'],
  [/gemini/i, 'gemini'],
]
