/** What Sluice adds to a small call: the same echo, direct and through the gateway, in turns, one at a time and 32 at once. */
import { fixture, openSluice } from '../gateway-process.js'
import { median, quantile, round } from '../statistics.js'
import { StdioClient } from '../stdio-client.js'
import type { Row, TrialOptions } from '../trials.js'

const IN_FLIGHT = 32

interface Way {
  readonly name: string
  readonly client: StdioClient
  readonly tool: string
  alone: number[]
  /** The median of each round. */
  readonly medians: number[]
  readonly p99s: number[]
  readonly together: number[]
}

export async function smallCalls({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const [rounds, calls] = smoke ? [3, 20] : [40, 200]
  const sluice = await openSluice({ servers: { content: fixture('content-server.js') } })
  const direct = new StdioClient(process.execPath, [fixture('content-server.js')])
  await direct.initialize()
  const ways: Way[] = [
    { name: 'direct', client: direct, tool: 'echo', alone: [], medians: [], p99s: [], together: [] },
    { name: 'through Sluice', client: sluice.client, tool: 'content__echo', alone: [], medians: [], p99s: [], together: [] },
  ]
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
  await direct.close()
  await sluice.close()
  return rowsOf(ways)
}

// --- internal ---

/** A call of each way after the other, so that both meet the machine in the same mood. */
async function inTurns(ways: readonly Way[], calls: number): Promise<void> {
  for (let i = 0; i < calls; i++) {
    for (const way of ways) {
      const start = performance.now()
      await way.client.call(way.tool, { message: 'hello' })
      way.alone.push(performance.now() - start)
    }
  }
}

/** Calls a second with 32 in flight. */
async function allAtOnce(way: Way, calls: number): Promise<number> {
  const start = performance.now()
  let left = calls
  const lane = async () => {
    while (left-- > 0) await way.client.call(way.tool, { message: 'hello' })
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
  return (calls / (performance.now() - start)) * 1000
}

/** Ratios are those of a round, of which the median counts: the machine's mood changes from round to round. */
function rowsOf(ways: readonly Way[]): Row[] {
  const ratio = (of: (way: Way) => readonly number[], way: Way) => {
    const direct = ways[0] ? of(ways[0]) : []
    return round(median(of(way).map((value, i) => value / (direct[i] ?? 1))), 2)
  }
  return ways.map((way) => ({
    way: way.name,
    'median ms': round(median(way.medians)),
    'p99 ms': round(median(way.p99s)),
    'times direct': ratio(({ medians }) => medians, way),
    'calls/s at 32': Math.round(median(way.together)),
    'of direct': ratio(({ together }) => together, way),
  }))
}
