/** How well a search finds passages: labelled queries of other people over texts, code and Chinese. */
import { measurePassageSearch, PASSAGE_SETS } from '../passage-queries.js'
import { qualityCells } from '../retrieval-quality.js'
import { dataFolder } from '../tool-queries.js'
import type { Row, TrialOptions } from '../trials.js'

export async function passageSearch({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const folder = dataFolder()
  if (folder === undefined) return [{ set: 'no data folder: set SLUICE_DATA' }]
  const rows: Row[] = []
  for (const set of PASSAGE_SETS) {
    for (const shape of ['each', 'document', 'json'] as const) {
      const found = await measurePassageSearch(folder, set, { shape, every: smoke ? 20 : 1 })
      if (found) rows.push({ set, indexed: shape, ...qualityCells(found) })
    }
  }
  return rows
}
