/** Labels of the catalog's documents: `mcp/<alias>/<kind>/<name>`. */
import { headWithin } from '../base/utf8.js'
import type { DocKind } from '../protocol/catalog-api.js'

/** One label for each name, in their order: the server's own names, and none twice. Only control characters and what is beyond 512 bytes go. */
export function catalogLabels(alias: string, kind: Exclude<DocKind, 'server'>, names: readonly string[]): string[] {
  const prefix = `${serverLabel(alias)}/${kind}/`
  const labels = new Array<string>(names.length)
  const taken = new Set<string>()
  const give = (i: number, name: string) => {
    taken.add(name)
    labels[i] = prefix + name
  }
  for (const [i, name] of names.entries()) if (legalName(name) === name && !taken.has(name)) give(i, name)
  const next = new Map<string, number>()
  for (const [i, name] of names.entries()) {
    if (labels[i] !== undefined) continue
    const legal = legalName(name)
    let candidate = legal
    let number = next.get(legal) ?? 2
    while (taken.has(candidate)) candidate = `${legal}-${number++}`
    next.set(legal, number)
    give(i, candidate)
  }
  return labels
}

export function serverLabel(alias: string): string {
  return `mcp/${alias}`
}

// --- internal ---

const MAX_NAME_BYTES = 512
const CONTROLS = /\p{Cc}/gu

function legalName(name: string): string {
  return headWithin(name.toWellFormed().replace(CONTROLS, '_'), MAX_NAME_BYTES) || '_'
}
