/** The nearest known word to a misspelt one: optimal string alignment distance (edits and swaps of neighbours). */

/** Known words by distance to `word`, nearest first, those that share a prefix before others of the same distance. */
export function byNearness(word: string, known: Iterable<string>): string[] {
  const wanted = word.toLowerCase()
  return [...known]
    .map((candidate) => {
      const lower = candidate.toLowerCase()
      const contains = lower.includes(wanted) || wanted.includes(lower)
      return { candidate, score: editDistance(wanted, lower) - (contains ? Math.max(wanted.length, lower.length) / 2 : 0) }
    })
    .sort((a, b) => a.score - b.score)
    .map(({ candidate }) => candidate)
}

/** The nearest known word within a third of the word's length, or one that begins almost like it; undefined if there is none. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const words = [...known]
  const [best] = byNearness(word, words)
  if (best === undefined) return undefined
  if (withinThird(word.toLowerCase(), best.toLowerCase())) return best
  return word.length < MIN_BEGINNING ? undefined : words.find((candidate) => beginsLike(word, candidate))
}

/** Whether one may stand for the other: within a third of the length, or one of at least three characters inside the other. */
export function areNear(a: string, b: string): boolean {
  const [shorter = '', longer = ''] = [a.toLowerCase(), b.toLowerCase()].sort((one, two) => one.length - two.length)
  return withinThird(shorter, longer) || (shorter.length >= MIN_INSIDE && longer.includes(shorter))
}

export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      row.push(cost)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

// --- internal ---

const MIN_BEGINNING = 5
const MIN_INSIDE = 3

function withinThird(a: string, b: string): boolean {
  return editDistance(a, b) <= Math.round(Math.max(a.length, b.length) / 3)
}

/** `treshold` for `thresholdBytes`. */
function beginsLike(word: string, candidate: string): boolean {
  const beginning = candidate.slice(0, word.length + 1).toLowerCase()
  return candidate.length > word.length && editDistance(word.toLowerCase(), beginning) <= Math.ceil(word.length / 5)
}
