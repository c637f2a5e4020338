/** What IndexSearch answers: hits by query, best first, within a size that every client takes. */
import { ellipsize, utf8Length } from '../base/utf8.js'
import type { ToolNames } from '../protocol/session-api.js'
import { type Row, renderRows } from './numbered-rows.js'

export interface Hit {
  /** The same chunk has the same key in every query of a call. */
  readonly key: number
  readonly label: string
  readonly title: string
  readonly firstLine: number
  readonly lastLine: number
  readonly rows: readonly Row[]
  /** Why it was found, in a few words. */
  readonly why?: string
  /** Of a hit of the catalog: how to use it at once, in one line; empty where it cannot be used. */
  readonly use?: string
}

export interface RenderedSearch {
  readonly text: string
  /** Labels of the catalog's hits whose text is in the answer, in its order, each once. */
  readonly shown: readonly string[]
}

export interface QueryHits {
  readonly query: string
  readonly hits: readonly Hit[]
  /** How many more there are. */
  readonly more?: number
  readonly correction?: { readonly word: string; readonly instead: string }
}

export interface SearchFacts {
  readonly queries: readonly QueryHits[]
  /** What the reader must know beside the hits: sources that are not searchable yet, or were dropped. */
  readonly notes: readonly string[]
  readonly names: ToolNames
}

/** The answer stays below this many UTF-8 bytes. */
const MAX_ANSWER_BYTES = 49_152

/**
 * Hits get their text in the order of their ranks over all queries, so that the best of each comes before the second of any;
 * what does not fit any more is named by label and lines.
 */
export function renderSearch(facts: SearchFacts): RenderedSearch {
  const notes = facts.notes.join('\n')
  const places = placesOf(facts)
  const heads = facts.queries.map((query, q) => headOf(query, q, facts))
  const tails = facts.queries.map(tailOf)
  let room =
    MAX_ANSWER_BYTES - 1 - TRAILER_BYTES - size(notes) - [...heads, ...tails].reduce((sum, line) => sum + size(line), 0)
  for (const place of places) {
    const cost = size(place.short) + (place.same ? REFERENCE_BYTES : 0)
    place.named = cost <= room
    if (place.named) room -= cost
  }
  for (const place of [...places].sort((a, b) => a.rank - b.rank || a.query - b.query)) {
    const text = place.same ?? place
    const cost = size(text.full) - size(text.short)
    if (text.shown || !text.named || cost > room) continue
    room -= cost
    text.shown = true
  }
  const shown = places.filter((place) => place.shown && place.hit.use !== undefined).map(({ hit }) => hit.label)
  return { text: layOut({ heads, tails, places, notes }), shown: [...new Set(shown)] }
}

// --- internal ---

const TRAILER_BYTES = 160
/** `: shown above as [32.20]` */
const REFERENCE_BYTES = 26
const MAX_HEAD_CHARS = 160
const MAX_TITLE_CHARS = 120
const MAX_WHY_CHARS = 100

interface Place {
  readonly hit: Hit
  readonly query: number
  readonly rank: number
  readonly ref: string
  readonly short: string
  readonly full: string
  /** The place of the same chunk in an earlier query. */
  readonly same?: Place
  named: boolean
  shown: boolean
}

function placesOf({ queries }: SearchFacts): Place[] {
  const first = new Map<number, Place>()
  return queries.flatMap(({ hits }, query) =>
    hits.map((hit, rank): Place => {
      const ref = `[${query + 1}.${rank + 1}]`
      const same = first.get(hit.key)
      const head = `${ref} ${hit.label} — ${linesOf(hit)}`
      const use = hit.use ? `${hit.use}\n` : ''
      const short = same ? head : `${head}${hit.use ? `\n${hit.use}` : ''}`
      const full = `${ref} ${hit.label}${titleOf(hit)}${whyOf(hit)} — ${linesOf(hit)}\n${use}${renderRows(hit.rows)}\n`
      const place: Place = { hit, query, rank, ref, short, full, named: true, shown: false, ...(same && { same }) }
      if (!same) first.set(hit.key, place)
      return place
    }),
  )
}

function textOf({ same, short, full, shown }: Place): string {
  if (same) return `${short}: ${same.shown ? 'shown' : 'named'} above as ${same.ref}`
  return shown ? full : short
}

function titleOf({ title }: Hit): string {
  return title === '' ? '' : ` — ${ellipsize(title.replace(/\s+/g, ' '), MAX_TITLE_CHARS)}`
}

function whyOf({ why }: Hit): string {
  return why ? ` — ${ellipsize(why, MAX_WHY_CHARS)}` : ''
}

function linesOf({ firstLine, lastLine }: Hit): string {
  return firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}-${lastLine}`
}

function headOf({ query, hits, correction }: QueryHits, q: number, { names, notes }: SearchFacts): string {
  const head = `## ${q + 1}. ${ellipsize(
    query
      .slice(0, MAX_HEAD_CHARS * 2)
      .replace(/\s+/g, ' ')
      .trim(),
    MAX_HEAD_CHARS,
  )}`
  if (hits.length > 0) return head
  if (notes.length > 0 && !correction) return `${head}\nNothing found so far; see below for what was not searched.\n`
  const hint = correction
    ? `did you mean "${correction.instead}" for "${correction.word}"?`
    : `try other words, or read a source with ${names.read}.`
  return `${head}\nNothing found; ${hint}\n`
}

function tailOf({ more = 0 }: QueryHits): string {
  return more > 0 ? `[${more} weaker ${more === 1 ? 'hit' : 'hits'} not shown: raise limit, or narrow with source]` : ''
}

interface Layout {
  readonly heads: readonly string[]
  readonly tails: readonly string[]
  readonly places: readonly Place[]
  readonly notes: string
}

function layOut({ heads, tails, places, notes }: Layout): string {
  const lines: string[] = []
  heads.forEach((head, query) => {
    lines.push(head)
    for (const place of places) {
      if (place.query === query && place.named) lines.push(textOf(place))
    }
    const tail = tails[query]
    if (tail) lines.push(tail)
  })
  const unnamed = places.filter(({ named }) => !named).length
  if (unnamed > 0) lines.push(`[${unnamed} more hits do not fit; ask fewer queries, or narrow them with source]`)
  if (notes !== '') lines.push(notes)
  return lines.join('\n').trimEnd()
}

/** Bytes of a line with its line break. */
function size(text: string): number {
  return utf8Length(text) + 1
}
