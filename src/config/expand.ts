/** `${VAR}`, `${VAR:-default}` and `${env:VAR}` in the strings of the configuration. Messages name variables, never values. */
import type { Finding } from './option-schema.js'

/** A variable's value, or undefined when it is not set. */
export type Lookup = (name: string) => string | undefined

export interface Expansion<T> {
  readonly value: T
  readonly faults: readonly Finding[]
  /** The values that were put in, by variable. */
  readonly used: ReadonlyMap<string, string>
}

/**
 * Expands every string in a JSON value; keys stay. What is put in is not expanded again. A set but empty variable counts as set,
 * except before `:-`, as in a shell. Text in braces that names no variable (`${x%.*}`, `${}`) stays as it is.
 */
export function expandStrings<T>(value: T, lookup: Lookup): Expansion<T> {
  const faults: Finding[] = []
  const used = new Map<string, string>()
  const walk = (part: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof part === 'string') {
      return part.replace(
        REFERENCE,
        (whole: string, prefix: string | undefined, name: string, fallback: string | undefined) => {
          const fault = unsupported(whole, prefix)
          const found = fault === undefined ? lookup(name) : undefined
          if (found !== undefined && (found !== '' || fallback === undefined)) {
            used.set(name, found)
            return found
          }
          if (fault === undefined && fallback !== undefined) return fallback
          faults.push({ path, message: fault ?? `the variable ${name} is not set; set it, or write \${${name}:-default}` })
          return whole
        },
      )
    }
    if (Array.isArray(part)) return part.map((item, index) => walk(item, [...path, index]))
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, walk(item, [...path, key])]))
  }
  return { value: walk(value, []) as T, faults, used }
}

// --- internal ---

/** `${` prefix: name :-default `}`. The default may be anything but a brace that closes. */
const REFERENCE = /\$\{(?:([A-Za-z]\w*):(?!-))?([A-Za-z_][\w.()-]*?)(?::-([^}]*))?\}/g

function unsupported(whole: string, prefix: string | undefined): string | undefined {
  if (prefix === 'input') return `asks an editor for an input, which Sluice cannot; put it into a variable and write \${VAR}`
  if (prefix !== undefined && prefix !== 'env') {
    return `\${${prefix}:…} is not supported; write \${VAR}, \${VAR:-default} or \${env:VAR}`
  }
  return whole.lastIndexOf('$' + '{') > 0 ? 'has one reference inside another, which is not supported' : undefined
}
