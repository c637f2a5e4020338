/** How well a search finds passages: labelled queries of other people over texts, code and Chinese. */
import { measurePassageSearch, PASSAGE_SETS } from '../passage-queries.js'
import { qualityCells } from '../retrieval-quality.js'
import { dataFolder } from '../tool-queries.js'
import type { Row, TrialOptions } from '../trials.js'

export async function passageSearch({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const folder = dataFolder()
  if (folder === undefined) return [{ set: 'no data folder: set SLUICE_DATA' }]
  return PASSAGE_SETS.flatMap((set) =>
    (['each', 'document', 'json'] as const).flatMap((shape) => {
      const found = measurePassageSearch(folder, set, shape, smoke ? 20 : 1)
      return found ? [{ set, indexed: shape, ...qualityCells(found) }] : []
    }),
  )
}
