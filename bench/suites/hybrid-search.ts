/** Whether meanings help and never harm: each labelled set by words alone and with the vectors of use-lite, a weak model. */
import { openEmbeddingStage } from '../embedding-stage.js'
import { measurePassageSearch, PASSAGE_SETS } from '../passage-queries.js'
import type { Measured, Quality } from '../retrieval-quality.js'
import { dataFolder, measureToolSearch, TOOL_QUERY_SETS } from '../tool-queries.js'
import type { Row, TrialOptions } from '../trials.js'

export async function hybridSearch({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const folder = dataFolder()
  if (folder === undefined) return [{ set: 'no data folder: set SLUICE_DATA' }]
  const stage = openEmbeddingStage()
  const every = smoke ? 20 : 1
  const rows: Row[] = []
  try {
    for (const set of smoke ? TOOL_QUERY_SETS.slice(0, 1) : TOOL_QUERY_SETS) {
      const words = await measureToolSearch(folder, set, { every })
      rows.push(...rowOf(set, words, await measureToolSearch(folder, set, { every, vector: stage.native })))
    }
    for (const set of smoke ? PASSAGE_SETS.slice(1, 2) : PASSAGE_SETS) {
      const words = await measurePassageSearch(folder, set, { every })
      rows.push(...rowOf(set, words, await measurePassageSearch(folder, set, { every, vector: stage.native })))
    }
  } finally {
    await stage.close()
  }
  return rows
}

// --- internal ---

function rowOf(set: string, words: Measured | undefined, hybrid: Measured | undefined): Row[] {
  if (!words || !hybrid) return []
  const cell = (part: keyof Quality) => `${words.all[part].toFixed(3)} → ${hybrid.all[part].toFixed(3)}`
  const cells = { 'Recall@1': cell('recall1'), 'Recall@5': cell('recall5'), 'nDCG@10': cell('ndcg10') }
  const harms = (['recall1', 'ndcg10'] as const).some((part) => hybrid.all[part] < words.all[part] - 1e-9)
  return [{ set, queries: words.queries, ...cells, harm: harms ? 'yes' : 'no' }]
}
