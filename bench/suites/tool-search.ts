/** How well a search finds tools: labelled queries of other people over real and made catalogs, alone and among 5,000 other tools. */
import { qualityCells } from '../retrieval-quality.js'
import { dataFolder, measureToolSearch, TOOL_QUERY_SETS } from '../tool-queries.js'
import type { Row, TrialOptions } from '../trials.js'

const STRANGERS = 5000

export async function toolSearch({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const folder = dataFolder()
  if (folder === undefined) return [{ set: 'no data folder: set SLUICE_DATA' }]
  const rows: Row[] = []
  for (const set of TOOL_QUERY_SETS) {
    for (const strangers of smoke ? [0] : [0, STRANGERS]) {
      const found = await measureToolSearch(folder, set, { every: smoke ? 20 : 1, strangers })
      if (found) rows.push({ set, 'other tools': strangers, ...qualityCells(found) })
    }
  }
  return rows
}
