/** Follows the JSON Pointer of a `$ref` through a schema. */
import { asRecord } from '../protocol/messages.js'
import { entryPlace, type Place, placeOf } from './schema-places.js'

export interface Step {
  readonly node: object
  readonly key: string
  /** What `node` is. */
  readonly place: Place
}

export interface Target {
  readonly value: unknown
  readonly place: Place
  /** From the root to the target. */
  readonly steps: readonly Step[]
}

/** The tokens of a fragment such as `/$defs/a~1b` (without `#`), percent-encoding and `~` undone; undefined if it is no pointer. */
export function pointerTokens(fragment: string): string[] | undefined {
  if (fragment === '') return []
  const text = percentDecoded(fragment)
  if (!text?.startsWith('/')) return undefined
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** What `tokens` lead to from `root`, or undefined. */
export function follow(root: unknown, tokens: readonly string[]): Target | undefined {
  const steps: Step[] = []
  let value = root
  let place: Place = 'schema'
  for (const key of tokens) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined
    steps.push({ node: value, key, place })
    const child: unknown = (value as Readonly<Record<string, unknown>>)[key]
    place = place === 'schema' && asRecord(value) ? placeOf(key, child) : place === 'data' ? 'data' : entryPlace(child)
    value = child
  }
  return { value, place, steps }
}

// --- internal ---

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
