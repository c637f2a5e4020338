/** What Sluice adds to a small call: the same echo direct, through the gateway, and through a plain proxy of the SDK, in turns. */
import { fileURLToPath } from 'node:url'
import { fixture, openSluice, serveHttpProcess, serveSluice } from '../gateway-process.js'
import { HttpClient } from '../http-client.js'
import type { BenchClient } from '../raw-answer.js'
import { median, quantile, round } from '../statistics.js'
import { StdioClient } from '../stdio-client.js'
import type { Row, TrialOptions } from '../trials.js'

const IN_FLIGHT = 32
const SLUICE = 'through Sluice'
const SDK_PROXY = 'through an SDK proxy'
const PROXY = fileURLToPath(new URL('../sdk-proxy.js', import.meta.url))

interface Way {
  readonly name: string
  readonly client: BenchClient
  readonly tool: string
  readonly close: () => Promise<unknown>
  alone: number[]
  /** The median of each round. */
  readonly medians: number[]
  readonly p99s: number[]
  readonly together: number[]
}

export async function smallCalls({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const [rounds, calls] = smoke ? [3, 20] : [40, 200]
  const rows: Row[] = []
  for (const [transport, open] of [['stdio', stdioWays] as const, ['HTTP', httpWays] as const]) {
    const ways = await open()
    await inTurns(ways, calls * 2) // warms up
    for (let i = 0; i < rounds; i++) {
      for (const way of ways) way.alone = []
      await inTurns(ways, calls)
      for (const way of ways) {
        way.medians.push(median(way.alone))
        way.p99s.push(quantile(way.alone, 0.99))
      }
      for (const way of ways) way.together.push(await allAtOnce(way, calls * 2))
    }
    for (const { close } of ways) await close()
    rows.push(...rowsOf(transport, ways))
  }
  return rows
}

// --- internal ---

function way(name: string, client: BenchClient, tool: string, close: () => Promise<unknown>): Way {
  return { name, client, tool, close, alone: [], medians: [], p99s: [], together: [] }
}

async function stdioWays(): Promise<Way[]> {
  const direct = new StdioClient(process.execPath, [fixture('content-server.js')])
  const proxy = new StdioClient(process.execPath, [PROXY, 'stdio', fixture('content-server.js')])
  for (const client of [direct, proxy]) await client.initialize()
  const sluice = await openSluice({ servers: { content: fixture('content-server.js') } })
  return [
    way('direct', direct, 'echo', () => direct.close()),
    way(SDK_PROXY, proxy, 'echo', () => proxy.close()),
    way(SLUICE, sluice.client, 'content__echo', () => sluice.close()),
  ]
}

/** The server is on stdio in both. */
async function httpWays(): Promise<Way[]> {
  const proxy = await serveHttpProcess([PROXY, 'http', fixture('content-server.js')])
  const sluice = await serveSluice({ servers: { content: fixture('content-server.js') }, entry: { instances: 'shared' } })
  const clients = [new HttpClient(proxy.url), new HttpClient(sluice.url)] as const
  for (const client of clients) await client.initialize()
  return [
    way(SDK_PROXY, clients[0], 'echo', () => proxy.close()),
    way(SLUICE, clients[1], 'content__echo', () => sluice.close()),
  ]
}

/** A call of each way after the other, so that both meet the machine in the same mood. */
async function inTurns(ways: readonly Way[], calls: number): Promise<void> {
  for (let i = 0; i < calls; i++) {
    for (const { client, tool, alone } of ways) {
      const start = performance.now()
      await client.call(tool, { message: 'hello' })
      alone.push(performance.now() - start)
    }
  }
}

/** Calls a second with 32 in flight. */
async function allAtOnce({ client, tool }: Way, calls: number): Promise<number> {
  const start = performance.now()
  let left = calls
  const lane = async () => {
    while (left-- > 0) await client.call(tool, { message: 'hello' })
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
  return (calls / (performance.now() - start)) * 1000
}

/** Ratios are those of a round, of which the median counts: the machine's mood changes from round to round. */
function rowsOf(transport: string, ways: readonly Way[]): Row[] {
  const proxy = ways.find(({ name }) => name === SDK_PROXY)
  const ratio = (of: (way: Way) => readonly number[], way: Way, base: Way | undefined) =>
    base ? round(median(of(way).map((value, i) => value / (of(base)[i] ?? 1))), 2) : ''
  const direct = ways.find(({ name }) => name === 'direct')
  return ways.map((way) => ({
    way: `${transport}, ${way.name}`,
    'median ms': round(median(way.medians)),
    'p99 ms': round(median(way.p99s)),
    'times direct': ratio(({ medians }) => medians, way, direct),
    'times SDK proxy': ratio(({ medians }) => medians, way, proxy),
    'calls/s at 32': Math.round(median(way.together)),
    'calls/s of SDK proxy': ratio(({ together }) => together, way, proxy),
  }))
}
