/** How soon a receipt is there: the same response direct, through Sluice as it is, and as a receipt; and how long its indexing goes on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openThreadActor } from '../../src/actor/thread-actor.js'
import { workerUrl } from '../../src/actor/worker-urls.js'
import type { SessionApi } from '../../src/protocol/session-api.js'
import { mixedText } from '../corpus.js'
import { fixture, openSluice } from '../gateway-process.js'
import { median, round } from '../statistics.js'
import { StdioClient } from '../stdio-client.js'
import type { Row, TrialOptions } from '../trials.js'

const MEGABYTE = 1_000_000
const OPEN = {
  session: 'bench',
  maxIndexBytes: 1 << 30,
  names: { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' },
  lostLabels: [],
}

export async function receipts({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const sizes = smoke ? [1] : [1, 5]
  const rounds = smoke ? 2 : 9
  const rows: Row[] = []
  for (const size of sizes) rows.push(await measure(size, rounds))
  return rows
}

// --- internal ---

async function measure(size: number, rounds: number): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  writeFileSync(join(folder, 'text'), mixedText(size * MEGABYTE))
  const direct = new StdioClient(process.execPath, [fixture('content-server.js'), folder])
  await direct.initialize()
  const servers = { content: fixture('content-server.js') }
  const indexing = await openSluice({ servers, args: [folder] })
  const plain = await openSluice({ servers, args: [folder], settings: { context: { responses: { enabled: false } } } })
  const samples = { direct: [] as number[], plain: [] as number[], receipt: [] as number[] }
  for (let i = 0; i <= rounds; i++) {
    const times = [
      await timed(direct, 'file'),
      await timed(plain.client, 'content__file'),
      await timed(indexing.client, 'content__file'),
    ]
    if (i === 0) continue // the first call warms up
    samples.direct.push(times[0] ?? 0)
    samples.plain.push(times[1] ?? 0)
    samples.receipt.push(times[2] ?? 0)
  }
  await Promise.all([direct.close(), indexing.close(), plain.close()])
  rmSync(folder, { recursive: true, force: true })
  const inThread = await actorTimes(mixedText(size * MEGABYTE), rounds)
  return {
    MB: size,
    'direct ms': round(median(samples.direct), 1),
    'passed on ms': round(median(samples.plain), 1),
    'receipt ms': round(median(samples.receipt), 1),
    'receipt of direct': round(median(samples.receipt) / median(samples.direct), 2),
    'actor: receipt ms': round(median(inThread.receipt), 1),
    'actor: indexed ms': round(median(inThread.indexed), 1),
    'receipt of indexed': round(median(inThread.receipt) / median(inThread.indexed), 2),
  }
}

async function timed(client: StdioClient, tool: string): Promise<number> {
  const start = performance.now()
  await client.call(tool, { name: 'text' })
  return performance.now() - start
}

/** Inside the session actor alone: until the receipt, and until all is searchable. */
async function actorTimes(text: string, rounds: number): Promise<{ receipt: number[]; indexed: number[] }> {
  const frame = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } }))
  const times = { receipt: [] as number[], indexed: [] as number[] }
  for (let i = 0; i <= rounds; i++) {
    const actor = openThreadActor<SessionApi>(workerUrl('session'), { name: 'bench' })
    await actor.ask('open', OPEN)
    const own = new Uint8Array(frame)
    const start = performance.now()
    const args = { session: 'bench', frame: own, kind: 'tool', label: `t:${i}`, thresholdBytes: 16_384, idJson: '1' } as const
    await actor.ask('ingest', args, { transfer: [own.buffer] })
    const receipt = performance.now() - start
    while ((await actor.ask('status', {})).pending > 0) await new Promise((resolve) => setTimeout(resolve, 2))
    if (i > 0) {
      times.receipt.push(receipt)
      times.indexed.push(performance.now() - start)
    }
    await actor.stop()
  }
  return times
}
