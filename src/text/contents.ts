/** Which sections a table of contents names. */

import type { Section } from './section.js'

export interface Contents {
  /** In line order. */
  readonly entries: Section[]
  /** How many sections are not named. */
  readonly omitted: number
}

/** @param maxEntries default 40 */
export function contentsOf(sections: readonly Section[], maxEntries = 40): Contents {
  const byDepth = new Map<number, Section[]>()
  for (const section of sections) {
    const level = byDepth.get(section.depth)
    if (level) level.push(section)
    else byDepth.set(section.depth, [section])
  }
  const chosen = new Set<Section>()
  for (const depth of [...byDepth.keys()].sort((a, b) => a - b)) {
    const level = byDepth.get(depth) ?? []
    const room = maxEntries - chosen.size
    // A level is shown whole or not at all, unless that would leave the table nearly empty.
    if (level.length > room && chosen.size > maxEntries * FEW) break
    for (const section of level.slice(0, room)) chosen.add(section)
    if (level.length >= room) break
  }
  return { entries: sections.filter((section) => chosen.has(section)), omitted: sections.length - chosen.size }
}

// --- internal ---

const FEW = 0.25
