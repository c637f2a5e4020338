/** Whether one session feels another's large results: pings of session B while session A receives and indexes them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mixedText } from '../corpus.js'
import { fixture, serveSluice } from '../gateway-process.js'
import { HttpClient } from '../http-client.js'
import type { LoopDelay } from '../loop-monitor.js'
import { quantile, round } from '../statistics.js'
import type { Row, TrialOptions } from '../trials.js'

const MEGABYTE = 1_000_000
const PING_EVERY_MS = 10
const IDLE_MS = 4_000
const AFTER_MS = 1_000

export async function isolation({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const sizes = smoke ? [1] : [1, 5, 20, 50]
  for (const size of sizes) writeFileSync(join(folder, String(size)), mixedText(size * MEGABYTE))
  const gateway = await serveSluice({ servers: { content: fixture('content-server.js') }, args: [folder] })
  const [a, b] = [new HttpClient(gateway.url), new HttpClient(gateway.url)]
  await a.initialize()
  await b.initialize()
  await a.call('content__file', { name: '1' }) // its thread is there
  const pings = new Pings(b)
  const idle = await during(pings, gateway, () => sleep(smoke ? 500 : IDLE_MS))
  const rows = [rowOf('nothing', idle, idle)]
  for (const size of sizes) {
    const calls = smoke ? 1 : 4
    const busy = await during(pings, gateway, async () => {
      for (let i = 0; i < calls; i++) await a.call('content__file', { name: String(size) })
      await sleep(AFTER_MS) // its indexing goes on
    })
    rows.push(rowOf(`${calls} results of ${size} MB`, busy, idle))
  }
  await gateway.close()
  rmSync(folder, { recursive: true, force: true })
  return rows
}

// --- internal ---

interface Felt {
  /** ms */
  readonly pings: readonly number[]
  readonly loop: LoopDelay
}

/** Sent every 10 ms, answered or not: a gateway that stands still delays all of them. */
class Pings {
  readonly #client: HttpClient
  constructor(client: HttpClient) {
    this.#client = client
  }

  async during(work: () => Promise<unknown>): Promise<number[]> {
    const times: Promise<number>[] = []
    const timer = setInterval(() => times.push(this.#ping()), PING_EVERY_MS)
    await work()
    clearInterval(timer)
    return Promise.all(times)
  }

  async #ping(): Promise<number> {
    const start = performance.now()
    await this.#client.request('ping', {})
    return performance.now() - start
  }
}

async function during(pings: Pings, gateway: { loopDelay(): Promise<LoopDelay> }, work: () => Promise<unknown>): Promise<Felt> {
  await gateway.loopDelay()
  const times = await pings.during(work)
  return { pings: times, loop: await gateway.loopDelay() }
}

function rowOf(what: string, felt: Felt, idle: Felt): Row {
  const p99 = quantile(felt.pings, 0.99)
  return {
    'session A receives': what,
    pings: felt.pings.length,
    'p50 ms': round(quantile(felt.pings, 0.5), 2),
    'p99 ms': round(p99, 2),
    'max ms': round(Math.max(...felt.pings), 1),
    'p99 of idle': round(p99 / quantile(idle.pings, 0.99), 1),
    'loop p50 ms': round(felt.loop.p50, 2),
    'loop p99 ms': round(felt.loop.p99, 2),
    'loop max ms': round(felt.loop.max, 1),
    'of its own work ms': round(felt.loop.ownMax, 1),
  }
}
