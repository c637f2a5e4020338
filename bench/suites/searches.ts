/** How long a search takes in 1, 10 and 100 MB of indexed text. */
import { Bench } from 'tinybench'
import { createSessionApi } from '../../src/indexer/create-session-api.js'
import { corpusWord, createRandom, mixedText } from '../corpus.js'
import { round } from '../statistics.js'
import type { Row, TrialOptions } from '../trials.js'

const MEGABYTE = 1_000_000
const SESSION = 's'

export async function searches({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const size of smoke ? [1] : [1, 10, 100]) rows.push(await measure(size, smoke))
  return rows
}

// --- internal ---

async function measure(size: number, smoke: boolean): Promise<Row> {
  const api = createSessionApi()
  await api.open({
    session: SESSION,
    maxIndexBytes: 1 << 30,
    names: { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' },
    lostLabels: [],
  })
  for (let i = 0; i < size; i++) {
    const result = { content: [{ type: 'text', text: mixedText(MEGABYTE, i + 1) }] }
    const frame = new Uint8Array(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result })))
    await api.ingest({ session: SESSION, frame, kind: 'tool', label: `t:${i + 1}`, thresholdBytes: 16_384, idJson: '1' })
  }
  while ((await api.status({})).pending > 0) await new Promise((resolve) => setImmediate(resolve))
  const random = createRandom(42)
  const bench = new Bench({ time: smoke ? 100 : 3000, warmupIterations: 5 })
  bench.add('search', async () => {
    const query = Array.from({ length: 1 + Math.floor(random() * 3) }, () => corpusWord(random)).join(' ')
    await api.search({ session: SESSION, queries: [query], limit: 5, searchWaitMs: 60_000 })
  })
  await bench.run()
  const [task] = bench.tasks
  const latency = task?.result && 'latency' in task.result ? task.result.latency : undefined
  await api.close({ session: SESSION })
  return {
    MB: size,
    searches: latency?.samplesCount ?? 0,
    'p50 ms': round(latency?.p50 ?? 0),
    'p99 ms': round(latency?.p99 ?? 0),
  }
}
