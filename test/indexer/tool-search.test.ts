import { describe, expect, it } from 'vitest'
import { dataFolder, measureToolSearch } from '../../bench/tool-queries.js'

const FOLDER = dataFolder()

/** Recall@1, Recall@5, nDCG@10 of a plain full-text table over all queries, from the data's README; of long sets every twentieth is asked. */
const BASELINES: Readonly<Record<string, readonly [number, number, number]>> = {
  'metatool-single': [0.323, 0.547, 0.466],
  sealtools: [0.43, 0.82, 0.868],
  'livemcpbench-step': [0.451, 0.674, 0.618],
  'livemcpbench-task': [0.132, 0.351, 0.354],
  'livemcpbench-agent-route': [0.212, 0.478, 0.426],
  'azure-prompts-2025': [0.686, 0.916, 0.828],
  'mcpproxy-golden': [0.503, 0.777, 0.702],
}

const LONG: ReadonlySet<string> = new Set(['metatool-single', 'sealtools'])

describe.runIf(FOLDER !== undefined)('the search for tools', () => {
  it.each(Object.entries(BASELINES))(
    'is better than a plain full-text table on %s',
    async (set, baseline) => {
      const found = await measureToolSearch(FOLDER ?? '', set, { every: LONG.has(set) ? 20 : 1 })
      const { recall1 = 0, recall5 = 0, ndcg10 = 0 } = found?.all ?? {}
      ;[recall1, recall5, ndcg10].forEach((value, n) => {
        expect(value).toBeGreaterThanOrEqual(baseline[n] ?? 1)
      })
    },
    180_000,
  )
})
