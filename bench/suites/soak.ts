/** A day in small: calls in a loop with small and large results and cancellations; what the gateway holds at the end and after the first. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fixture, type HttpProcess, serveSluice } from '../gateway-process.js'
import { HttpClient } from '../http-client.js'
import { round } from '../statistics.js'
import type { Row, TrialOptions } from '../trials.js'

const LANES = 4
const SETTLE_MS = 3_000
/** So that the index is full, and drops the oldest, long before the end. */
const INDEX_BYTES = 4_000_000

export async function soak({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const [first, all] = smoke ? [50, 150] : [1_000, 20_000]
  const gateway = await serveSluice({
    servers: { content: fixture('content-server.js') },
    settings: { maxIndexBytes: INDEX_BYTES },
  })
  const clients = Array.from({ length: LANES }, () => new HttpClient(gateway.url))
  for (const client of clients) await client.initialize()
  await calls(clients, first)
  const early = await held(gateway, `after ${first} calls`)
  await calls(clients, all - first)
  const late = await held(gateway, `after ${all} calls`)
  await gateway.close()
  return [early, late]
}

// --- internal ---

async function calls(clients: readonly HttpClient[], count: number): Promise<void> {
  let left = count
  const lane = async (client: HttpClient) => {
    while (left > 0) await one(client, left--)
  }
  await Promise.all(clients.map(lane))
}

/** Of twenty calls two give large results, one is searched for, one is cancelled. */
async function one(client: HttpClient, n: number): Promise<void> {
  const kind = n % 20
  if (kind < 2) await client.call('content__lines', { count: kind === 0 ? 3_000 : 20_000, word: `word${n % 97}` })
  else if (kind === 2) await client.call('IndexSearch', { queries: [`word${n % 97}`] })
  else if (kind === 3) await client.cancelled('content__sleep', { ms: 5_000 })
  else await client.call('content__echo', { message: 'hello' })
}

async function held({ pid }: HttpProcess, when: string): Promise<Row> {
  await sleep(SETTLE_MS)
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const number = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1])
    return {
      when,
      'RSS MB': round(number('VmRSS') / 1_000, 0),
      handles: readdirSync(`/proc/${pid}/fd`).length,
      threads: number('Threads'),
    }
  } catch {
    return { when, 'RSS MB': 0, handles: 0, threads: 0 } // no /proc
  }
}
