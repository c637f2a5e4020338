/** How fast passages are embedded, natively and as WebAssembly, and what memory a session takes with and without vectors. */
import { readFileSync } from 'node:fs'
import { createEmbedder } from '../../src/embed/auto-embedder.js'
import { MAX_BATCH } from '../../src/embed/embedder.js'
import { createSessionApi } from '../../src/indexer/create-session-api.js'
import type { VectorFacts } from '../../src/protocol/vector-api.js'
import { mixedText } from '../corpus.js'
import { openEmbeddingStage } from '../embedding-stage.js'
import { round } from '../statistics.js'
import type { Row, TrialOptions } from '../trials.js'

const PASSAGE_CHARS = 600

export async function embedding({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const stage = openEmbeddingStage()
  const size = smoke ? 50_000 : 1_000_000
  try {
    const words = await session(size, undefined)
    const native = await session(size, stage.native)
    const child = stage.process.pid
    return [
      { runtime: 'none', ...words, 'process MB': 0 },
      { runtime: 'native', 'passages/s': await speed(stage.native, smoke), ...native, 'process MB': memoryOf(child) },
      { runtime: 'wasm', 'passages/s': await speed(stage.wasm, smoke), 'process MB': 0 },
    ]
  } finally {
    await stage.close()
  }
}

// --- internal ---

async function speed(facts: VectorFacts, smoke: boolean): Promise<number> {
  const embedder = createEmbedder(facts)
  await embedder.load()
  const text = mixedText(PASSAGE_CHARS * MAX_BATCH)
  const texts = Array.from({ length: MAX_BATCH }, (_, n) => text.slice(n * PASSAGE_CHARS, (n + 1) * PASSAGE_CHARS))
  const started = performance.now()
  let count = 0
  for (; performance.now() - started < (smoke ? 300 : 5_000); count += MAX_BATCH) await embedder.embed(texts, 'passage')
  const seconds = (performance.now() - started) / 1000
  await embedder.close()
  return round(count / seconds, 0)
}

/** A session with so much text, all of it embedded: MB that it has added to this process, and how long it took. */
async function session(chars: number, vector: VectorFacts | undefined): Promise<Row> {
  const api = createSessionApi()
  const names = { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' }
  const before = process.memoryUsage.rss()
  await api.open({ session: 's', maxIndexBytes: 1 << 30, names, lostLabels: [], ...(vector && { vector }) })
  const result = { content: [{ type: 'text', text: mixedText(chars) }] }
  const frame = new Uint8Array(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result })))
  const started = performance.now()
  await api.ingest({ session: 's', frame, kind: 'tool', label: 't:1', thresholdBytes: 16_384, idJson: '1' })
  for (let left = await api.status({}); left.pending + left.unembedded > 0; left = await api.status({})) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const cells = { 'indexed s': round((performance.now() - started) / 1000, 1) }
  const megabytes = round((process.memoryUsage.rss() - before) / 1e6, 0)
  await api.close({ session: 's' })
  return { ...cells, 'session MB': megabytes }
}

/** Resident memory of a process in MB; 0 where the system does not tell. */
function memoryOf(pid: number | undefined): number {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return round(Number(kilobytes) / 1000, 0)
  } catch {
    return 0
  }
}
