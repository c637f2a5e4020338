/** How well a ranking answers a labelled query, by the measures of the field. */

/** Means over the queries, each from 0 to 1. */
export interface Quality {
  readonly recall1: number
  readonly recall5: number
  readonly recall10: number
  /** Reciprocal rank of the first relevant of the first ten. */
  readonly mrr10: number
  readonly ndcg10: number
}

/** The quality over all queries, and over the half that no constant was tuned on. */
export interface Measured {
  readonly queries: number
  readonly all: Quality
  readonly heldOut: Quality
}

/**
 * @param found best first, each once
 * @param gains of the relevant ones; 0 and absent: not relevant
 */
export function qualityOf(found: readonly string[], gains: ReadonlyMap<string, number>): Quality {
  const relevant = [...gains].filter(([, gain]) => gain > 0).map(([id]) => id)
  const isRelevant = new Set(relevant)
  const recall = (count: number) => found.slice(0, count).filter((id) => isRelevant.has(id)).length / relevant.length
  const dcg = (ids: readonly string[]) =>
    ids.slice(0, 10).reduce((sum, id, n) => sum + (2 ** (gains.get(id) ?? 0) - 1) / Math.log2(n + 2), 0)
  const ideal = dcg(relevant.sort((a, b) => (gains.get(b) ?? 0) - (gains.get(a) ?? 0)))
  const first = found.slice(0, 10).findIndex((id) => isRelevant.has(id))
  return {
    recall1: recall(1),
    recall5: recall(5),
    recall10: recall(10),
    mrr10: first < 0 ? 0 : 1 / (first + 1),
    ndcg10: ideal === 0 ? 0 : dcg(found) / ideal,
  }
}

/** Constants are tuned on the queries at even places. */
export function measured(qualities: readonly Quality[]): Measured {
  return { queries: qualities.length, all: meanOf(qualities), heldOut: meanOf(qualities.filter((_, n) => n % 2 === 1)) }
}

/** A row of a trial's table: all queries, and behind a stroke the held-out half. */
export function qualityCells({ queries, all, heldOut }: Measured): Record<string, string | number> {
  const cell = (part: keyof Quality) => `${all[part].toFixed(3)} / ${heldOut[part].toFixed(3)}`
  return {
    queries,
    'Recall@1': cell('recall1'),
    'Recall@5': cell('recall5'),
    'Recall@10': cell('recall10'),
    MRR: cell('mrr10'),
    'nDCG@10': cell('ndcg10'),
  }
}

// --- internal ---

function meanOf(qualities: readonly Quality[]): Quality {
  const mean = (part: keyof Quality) =>
    qualities.reduce((sum, quality) => sum + quality[part], 0) / Math.max(1, qualities.length)
  return {
    recall1: mean('recall1'),
    recall5: mean('recall5'),
    recall10: mean('recall10'),
    mrr10: mean('mrr10'),
    ndcg10: mean('ndcg10'),
  }
}
