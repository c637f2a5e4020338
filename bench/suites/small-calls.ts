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
  readonly alone: number[]
  readonly together: number[]
}

export async function smallCalls({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const [rounds, calls] = smoke ? [3, 20] : [40, 200]
  const sluice = await openSluice({ content: fixture('content-server.js') })
  const direct = new StdioClient(process.execPath, [fixture('content-server.js')])
  await direct.initialize()
  const ways: Way[] = [
    { name: 'direct', client: direct, tool: 'echo', alone: [], together: [] },
    { name: 'through Sluice', client: sluice.client, tool: 'content__echo', alone: [], together: [] },
  ]
  for (const way of ways) await oneByOne(way, calls, [])
  for (let i = 0; i < rounds; i++) {
    for (const way of ways) await oneByOne(way, calls, way.alone)
    for (const way of ways) way.together.push(await allAtOnce(way, calls * 2))
  }
  await direct.close()
  await sluice.close()
  return rowsOf(ways)
}

// --- internal ---

async function oneByOne(way: Way, calls: number, samples: number[]): Promise<void> {
  for (let i = 0; i < calls; i++) {
    const start = performance.now()
    await way.client.call(way.tool, { message: 'hello' })
    samples.push(performance.now() - start)
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

function rowsOf(ways: readonly Way[]): Row[] {
  const base = median(ways[0]?.alone ?? [])
  const rate = median(ways[0]?.together ?? [])
  return ways.map((way) => ({
    way: way.name,
    'median ms': round(median(way.alone)),
    'p99 ms': round(quantile(way.alone, 0.99)),
    'times direct': round(median(way.alone) / base, 2),
    'calls/s at 32': Math.round(median(way.together)),
    'of direct': round(median(way.together) / rate, 2),
  }))
}
