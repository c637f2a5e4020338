/** How well a search finds tools: labelled queries of other people over real and made catalogs. */
import { dataFolder, measureToolSearch } from '../tool-queries.js'
import type { Row, TrialOptions } from '../trials.js'

export async function toolSearch({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const folder = dataFolder()
  if (folder === undefined) return [{ set: 'no data folder: set SLUICE_DATA' }]
  const found = await measureToolSearch(folder, undefined, smoke ? 20 : 1)
  return [...found].map(([set, { queries, quality }]) => ({
    set,
    queries,
    'Recall@1': quality.recall1.toFixed(3),
    'Recall@5': quality.recall5.toFixed(3),
    'nDCG@10': quality.ndcg10.toFixed(3),
  }))
}
