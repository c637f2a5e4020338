/** Sections of JSON: its keys with the sizes of their containers, and the elements of its arrays. */

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  type Codes,
  codesOf,
  isOpener,
  memberAt,
  nextItem,
  OPEN_BRACE,
  OPEN_BRACKET,
  spaceEnd,
  unquoted,
  valueEnd,
} from '../json-scan.js'
import type { LineIndex } from '../line-index.js'
import { asTitle, type Section } from '../section.js'
import { elementName } from './json-name.js'

/**
 * Keys to depth 3 as `items (array of 250)`, `info (5 keys)` or `count: 77`, elements that are containers as `items[12] its name`.
 * An object whose only member is a container (`{"data":{…}}`) costs no depth of the search. An array's elements get the depth
 * below it, but of many only some thirty, evenly spread; the rest lie one deeper.
 */
export function jsonSections(text: string, lines: LineIndex): Section[] {
  const walk = new Walk(text)
  const root = spaceEnd(walk.codes, 0)
  if (walk.codes[root] === OPEN_BRACKET) {
    const whole = walk.draft(root, 1)
    const { summary } = walk.array(root, '', 2)
    if (whole) whole.title = `array of ${summary}`
  } else walk.object(root, { path: '', depth: 1, levels: LEVELS })
  return walk.drafts().map(({ title, at, depth }) => ({ title: asTitle(title), line: lines.lineAt(at), depth }))
}

// --- internal ---

/** Depths of keys that are named. */
const LEVELS = 3
const MAX_UNWRAPPED = 8
const MAX_PER_DEPTH = 3_000
const ELEMENTS_SHOWN = 34
const ELEMENTS_KEPT = 960
const MAX_SCALAR = 60
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u

interface Draft {
  title: string
  readonly at: number
  readonly depth: number
}

interface Place {
  readonly path: string
  readonly depth: number
  /** Levels of keys left to name. */
  readonly levels: number
  readonly unwrapped?: number
}

interface Walked {
  readonly end: number
  readonly summary: string
}

class Walk {
  readonly codes: Codes
  readonly #text: string
  readonly #byDepth: Sample<Draft>[] = []

  constructor(text: string) {
    this.#text = text
    this.codes = codesOf(text)
  }

  /** In the order of the text. */
  drafts(): Draft[] {
    return this.#byDepth.flatMap(({ items }) => items).sort((a, b) => a.at - b.at || a.depth - b.depth)
  }

  /** A section at `at`, its title still to come; undefined when its depth has so many that this one is passed over. */
  draft(at: number, depth: number): Draft | undefined {
    this.#byDepth[depth] ??= new Sample(MAX_PER_DEPTH)
    const level = this.#byDepth[depth]
    if (!level.wantsNext()) return undefined
    const draft = { title: '', at, depth }
    level.add(draft)
    return draft
  }

  object(at: number, place: Place): Walked {
    const codes = this.codes
    let keys = 0
    let i = spaceEnd(codes, at + 1)
    for (let member = memberAt(codes, i); member; member = memberAt(codes, i)) {
      const draft = this.draft(member.keyAt, place.depth)
      const path = draft ? joinPath(place.path, unquoted(this.#text.slice(member.keyAt, member.keyEnd))) : ''
      const value = draft
        ? this.#value(member.valueAt, path, inside(codes, member.valueAt, keys, place))
        : skip(codes, member.valueAt)
      if (draft) draft.title = path + value.summary
      keys++
      i = nextItem(codes, value.end)
    }
    return { end: closed(codes, i, CLOSE_BRACE), summary: keys === 1 ? '1 key' : `${keys} keys` }
  }

  array(at: number, path: string, depth: number): Walked {
    const codes = this.codes
    const kept = new Sample<{ at: number; index: number }>(ELEMENTS_KEPT)
    let count = 0
    let i = spaceEnd(codes, at + 1)
    while (i < codes.length && codes[i] !== CLOSE_BRACKET) {
      if (isOpener(codes[i]) && kept.wantsNext()) kept.add({ at: i, index: count })
      const end = valueEnd(codes, i)
      if (end <= i) break
      count++
      i = nextItem(codes, end)
    }
    const step = Math.ceil(kept.items.length / ELEMENTS_SHOWN)
    for (const [n, { at: start, index }] of kept.items.entries()) {
      const draft = this.draft(start, n % step === 0 ? depth : depth + 1)
      if (draft) draft.title = `${path}[${index}] ${elementName(this.#text, codes, start)}`
    }
    return { end: closed(codes, i, CLOSE_BRACKET), summary: String(count) }
  }

  #value(at: number, path: string, place: Place): Walked {
    const opener = this.codes[at]
    if (opener === OPEN_BRACKET) {
      const { end, summary } = this.array(at, path, place.depth)
      return { end, summary: ` (array of ${summary})` }
    }
    if (opener !== OPEN_BRACE) return scalar(this.#text, at, valueEnd(this.codes, at))
    if (place.levels === 0) return skip(this.codes, at)
    const { end, summary } = this.object(at, { ...place, path })
    return { end, summary: ` (${summary})` }
  }
}

/** Keeps evenly spread items of a row of unknown length: when it is full, every second goes. */
class Sample<T> {
  items: T[] = []
  readonly #limit: number
  #stride = 1
  #seen = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether the next item of the row is to be added. */
  wantsNext(): boolean {
    return this.#seen++ % this.#stride === 0
  }

  add(item: T): void {
    this.items.push(item)
    if (this.items.length < this.#limit) return
    this.items = this.items.filter((_, i) => i % 2 === 0)
    this.#stride *= 2
  }
}

/** Where the members of a member's value stand: a level deeper, unless this member is all there is. */
function inside(codes: Codes, valueAt: number, keys: number, place: Place): Place {
  const { path, depth, levels, unwrapped = 0 } = place
  const wraps =
    keys === 0 &&
    unwrapped < MAX_UNWRAPPED &&
    codes[valueAt] === OPEN_BRACE &&
    codes[spaceEnd(codes, valueEnd(codes, valueAt))] === CLOSE_BRACE
  return { path, depth: depth + 1, levels: wraps ? levels : levels - 1, unwrapped: wraps ? unwrapped + 1 : MAX_UNWRAPPED }
}

function scalar(text: string, at: number, end: number): Walked {
  const summary = end - at <= MAX_SCALAR ? `: ${text.slice(at, end)}` : ` (text of ${end - at - 2} characters)`
  return { end, summary }
}

function skip(codes: Codes, at: number): Walked {
  return { end: valueEnd(codes, at), summary: '' }
}

function closed(codes: Codes, at: number, closer: number): number {
  return codes[at] === closer ? at + 1 : at
}

function joinPath(path: string, key: string): string {
  if (!PLAIN_KEY.test(key)) return path === '' ? key : `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}
