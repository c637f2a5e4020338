/** Pages of a list that may change from one page to the next: a cursor names the entry that the page before ended with. */

/** Which part of a list is asked for. */
export interface PageRequest {
  /** What an earlier page gave as `nextCursor`; undefined: the first page. */
  readonly cursor: string | undefined
  /** Undefined: all that is left. */
  readonly size: number | undefined
}

export interface Page {
  /** Places in the list; `to` is exclusive. */
  readonly from: number
  readonly to: number
  readonly nextCursor: string | undefined
}

/**
 * One list of one session. Entries that stay, in their order, are on exactly one page each, whatever comes and goes between the pages.
 * An entry that has gone is still known from the page that it was on; a client that reads the same list twice at the same time,
 * while it changes, gets its place instead.
 */
export class Pager {
  #served: readonly string[] = []

  /** @param keys what each entry of the list is called; undefined if the cursor is none of ours */
  page(keys: readonly string[], { cursor, size = keys.length }: PageRequest): Page | undefined {
    const last = cursor === undefined ? undefined : entryOf(cursor)
    if (cursor !== undefined && !last) return undefined
    const from = last ? this.#after(keys, last) : 0
    const to = Math.min(keys.length, from + size)
    if (to === keys.length) return { from, to, nextCursor: undefined }
    this.#served = keys
    return { from, to, nextCursor: `${CURSOR}${to - 1}-${keys[to - 1]}` }
  }

  // --- internal ---

  /** Looks at the entry's place first, so that a name that comes twice does not lead back to the first. */
  #after(keys: readonly string[], { place, key }: Entry): number {
    if (keys[place] === key) return place + 1
    const places = new Map(keys.map((each, i) => [each, i]))
    const at = this.#served.indexOf(key)
    const upToIt = at < 0 ? [key] : this.#served.slice(0, at + 1)
    const nearest = places.get(upToIt.findLast((each) => places.has(each)) ?? '')
    if (nearest !== undefined) return nearest + 1
    return at < 0 ? Math.min(place, keys.length) : 0
  }
}

// --- internal ---

interface Entry {
  readonly place: number
  readonly key: string
}

const CURSOR = 'sluice-'
const SHAPE = new RegExp(`^${CURSOR}(\\d{1,9})-(.+)$`, 's')

function entryOf(cursor: string): Entry | undefined {
  const [, place, key] = SHAPE.exec(cursor) ?? []
  return place === undefined || key === undefined ? undefined : { place: Number(place), key }
}
