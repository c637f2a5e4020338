/** A section: a titled place in a text. */

import { ellipsize } from '../base/utf8.js'

export interface Section {
  /** One line, trimmed, at most 120 characters. */
  readonly title: string
  /** Its first line, from 1. */
  readonly line: number
  /** 1 for the top level. */
  readonly depth: number
}

/** No text has more sections than this. */
export const MAX_SECTIONS = 5_000

const MAX_TITLE = 120
/** Characters of a line that are looked at for its title. */
const TITLE_REACH = 1_000

/** Any text as a title: on one line, without control characters, trimmed, at most 120 characters. */
export function asTitle(text: string): string {
  return ellipsize(text.slice(0, TITLE_REACH).replace(BLANKS, ' ').trim(), MAX_TITLE)
}

/** At most `limit` of the items, evenly spread, the first always among them. */
export function evenly<T>(items: readonly T[], limit: number): T[] {
  if (items.length <= limit) return [...items]
  return Array.from({ length: limit }, (_, i) => items[Math.floor((i * items.length) / limit)] as T)
}

/** At most {@link MAX_SECTIONS} of the sections: whole levels while they fit, then the next level thinned evenly. */
export function bounded(sections: Section[], limit = MAX_SECTIONS): Section[] {
  if (sections.length <= limit) return sections
  const depths = [...new Set(sections.map(({ depth }) => depth))].sort((a, b) => a - b)
  const kept = new Set<Section>()
  for (const depth of depths) {
    const level = sections.filter((section) => section.depth === depth)
    for (const section of evenly(level, limit - kept.size)) kept.add(section)
    if (kept.size >= limit) break
  }
  return sections.filter((section) => kept.has(section))
}

// --- internal ---

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const BLANKS = /[\s\u0000-\u001f\u007f]+/g
