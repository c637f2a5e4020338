/** Joins a ranking by words with one by meaning: weighted reciprocal rank fusion (Cormack, Clarke, Büttcher 2009). */

export interface Vote {
  readonly id: number
  /** What its rank by meaning counts against the same rank by words; 0: nothing, and it is not added. */
  readonly weight: number
}

/**
 * Ids, best first, each once.
 * @param byMeaning best first
 * @param exact so many of the first by words stay where they are: they are what was asked for to the letter
 */
export function fuse(byWords: readonly number[], byMeaning: readonly Vote[], exact: number): number[] {
  const scores = new Map(byWords.map((id, rank) => [id, 1 / (SMOOTHING + rank)]))
  byMeaning.forEach(({ id, weight }, rank) => {
    if (weight > 0) scores.set(id, (scores.get(id) ?? 0) + weight / (SMOOTHING + rank))
  })
  const kept = byWords.slice(0, exact)
  for (const id of kept) scores.delete(id)
  // Sorting is stable: of equals the one that words have found comes first.
  return [...kept, ...[...scores].sort(([, a], [, b]) => b - a).map(([id]) => id)]
}

// --- internal ---

/**
 * The usual 60 flattens the first ranks so much that a vote of a weak model turns over any of them; with 10 it decides between neighbours
 * (measured on labelled queries: some sets lose at a weight of 0.05 with 60, and none at 0.04 with 10). Ranks count from 0.
 */
const SMOOTHING = 11
