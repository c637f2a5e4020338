/** Many sessions over HTTP and shared servers: what each costs active and asleep, whether all wake, and whether any sees another's text. */
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fixture, type HttpProcess, serveSluice } from '../gateway-process.js'
import { HttpClient } from '../http-client.js'
import { resultText } from '../raw-answer.js'
import { median, quantile, round } from '../statistics.js'
import type { Row, TrialOptions } from '../trials.js'

/** 1 MB of numbered lines. */
const LINES = 40_000
const LANES = 8
const WARM_UP = 32
const AT_ONCE = 100
const HIBERNATE_MS = 20_000
const PATIENCE_MS = 400_000

export async function sessions({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const count of smoke ? [8] : [1, 10, 100, 1_000]) rows.push(await measure(count, smoke ? 2_000 : LINES))
  return rows
}

// --- internal ---

interface Member {
  readonly client: HttpClient
  /** Stands in its text alone. */
  readonly word: string
}

async function measure(count: number, lines: number): Promise<Row> {
  const gateway = await serveSluice({
    servers: { content: fixture('content-server.js') },
    entry: { instances: 'shared' },
    settings: { hibernateAfter: count >= 1_000 ? HIBERNATE_MS : 2_000 },
  })
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  // What threads have loaded and freed the process keeps: so much for as many threads as there may be, and nothing for each session.
  await opened(
    Array.from({ length: WARM_UP }, (_, n) => memberOf(gateway, agent, -1 - n)),
    lines,
  )
  await asleep(gateway)
  const before = megabytes(gateway.pid)
  const members = Array.from({ length: count }, (_, n) => memberOf(gateway, agent, n))
  await opened(members, lines)
  const active = megabytes(gateway.pid)
  await asleep(gateway)
  const idle = megabytes(gateway.pid)
  const woke = await checked(members, LANES)
  const together = await checked(members.slice(0, AT_ONCE), AT_ONCE)
  await gateway.close()
  agent.destroy()
  return {
    sessions: count,
    'active KB each': Math.round(((active - before) * 1_000) / count),
    'asleep KB each': Math.round(((idle - before) * 1_000) / count),
    'woke and right': woke.right,
    'wake p50 ms': round(median(woke.times), 1),
    'wake p99 ms': round(quantile(woke.times, 0.99), 1),
    'right of 100 at once': `${together.right} of ${together.times.length}`,
    'at once p99 ms': round(quantile(together.times, 0.99), 1),
  }
}

/** A word of letters, so that it is one term of the index. */
function memberOf({ url }: HttpProcess, agent: Agent, n: number): Member {
  const letters = String(n + 1_000_000).replace(/\d/g, (digit) => 'bcdfghklmn'[Number(digit)] ?? '')
  return { client: new HttpClient(url, agent), word: `own${letters}` }
}

async function opened(members: readonly Member[], lines: number): Promise<void> {
  await inLanes(members, LANES, async ({ client, word }) => {
    await client.initialize()
    await client.call('content__lines', { count: lines, word })
  })
}

/** How many answers have the session's own text and nobody else's. */
async function checked(members: readonly Member[], lanes: number): Promise<{ right: number; times: number[] }> {
  const times: number[] = []
  let right = 0
  await inLanes(members, lanes, async ({ client, word }) => {
    const start = performance.now()
    const text = resultText(await client.call('IndexSearch', { queries: [word] }))
    times.push(performance.now() - start)
    const found = [...text.matchAll(/line \d+ (own[a-z]+)/g)].map(([, owner]) => owner)
    if (found.length > 0 && found.every((owner) => owner === word)) right++
  })
  return { right, times }
}

async function inLanes(members: readonly Member[], lanes: number, work: (member: Member) => Promise<void>): Promise<void> {
  const waiting = [...members]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Until no session has a thread, and a moment for the memory to be given back. */
async function asleep(gateway: HttpProcess): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  while ((await threads(gateway)) > 0) {
    if (performance.now() > until) throw new Error('not all sessions sleep')
    await sleep(200)
  }
  await sleep(1_500)
}

function threads({ url }: HttpProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = get(url.replace(/mcp$/, 'healthz'), (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      response.on('end', () => resolve((JSON.parse(body) as { threads: number }).threads))
    })
    sent.on('error', reject)
  })
}

function megabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_000
  } catch {
    return 0 // no /proc
  }
}
