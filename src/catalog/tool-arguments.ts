/** Reads the arguments of the gateway's own tools however a model writes them. */
import { asRecord } from '../protocol/messages.js'

/** Models send arguments as an object or as a JSON string, the latter sometimes wrapped twice. */
export function argumentsOf(raw: unknown): Readonly<Record<string, unknown>> {
  let value = raw
  for (let depth = 0; depth < 2 && typeof value === 'string'; depth++) value = parsed(value)
  return asRecord(value) ?? {}
}

/** A list of texts, one text alone, or the JSON of a list; blank ones are passed over. */
export function textsOf(given: unknown): string[] {
  const value = typeof given === 'string' && given.trimStart().startsWith('[') ? (parsed(given) ?? given) : given
  const list = Array.isArray(value) ? value : [value]
  return list
    .filter((text) => typeof text === 'string' || typeof text === 'number')
    .map(String)
    .filter((text) => text.trim() !== '')
}

export function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : undefined
}

/** What stood there, for a fault: `is missing`, `found 12`. */
export function foundText(value: unknown): string {
  if (value === undefined) return 'is missing'
  const text = JSON.stringify(value) ?? String(value)
  return `found ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`
}

// --- internal ---

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
