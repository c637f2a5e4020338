/** How long a client waits for the list of many servers, and whether the gateway answers others meanwhile. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type GatewayProcess, openSluice } from '../gateway-process.js'
import { inFrontOf, MIXES, NO_DATA, realServers, SMOKE_MIXES } from '../real-catalogs.js'
import { median, quantile, round } from '../statistics.js'
import type { StdioClient } from '../stdio-client.js'
import type { Row, TrialOptions } from '../trials.js'

const LISTS = 20
const PINGS = 100
const PING_EVERY_MS = 5

export async function catalogStarts({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const count of smoke ? SMOKE_MIXES : MIXES) {
    const files = realServers(count)
    if (!files) return [{ servers: NO_DATA }]
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-data-'))
    const options = { ...inFrontOf(files), dataFolder: folder }
    const cold = await start(() => openSluice(options))
    await cold.gateway.close()
    const warm = await start(() => openSluice(options))
    const again: number[] = []
    for (let i = 0; i < LISTS; i++) again.push(await timed(() => warm.gateway.client.request('tools/list', {})))
    const idle = await pings(warm.gateway.client)
    const [peak, busy] = [peakMegabytes(warm.gateway.client.pid), await pingsWhileStarting(options)]
    await warm.gateway.close()
    rmSync(folder, { recursive: true, force: true })
    rows.push({
      servers: files.length,
      'cold ms': round(cold.ms),
      'warm ms': round(warm.ms),
      'again ms': round(median(again)),
      'ping idle p99 ms': round(quantile(idle, 0.99)),
      'ping while planning p99 ms': round(quantile(busy, 0.99)),
      'peak MB': peak,
    })
  }
  return rows
}

// --- internal ---

/** From the start of the process to the answer of its first list. */
async function start(open: () => Promise<GatewayProcess>): Promise<{ gateway: GatewayProcess; ms: number }> {
  const begun = performance.now()
  const gateway = await open()
  return { gateway, ms: performance.now() - begun }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

async function pings(client: StdioClient, enough: () => boolean = () => false): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < PINGS || !enough(); i++) {
    times.push(await timed(() => client.request('ping', {})))
    if (i >= PINGS * 100) break
    await sleep(PING_EVERY_MS)
  }
  return times
}

/** Until the first list is there, the catalogs are made ready; a list is planned from them. */
async function pingsWhileStarting(options: Parameters<typeof openSluice>[0]): Promise<number[]> {
  let listed = false
  const { client, close } = await openSluice({ ...options, untilListed: false })
  const list = client.request('tools/list', {}).then(() => {
    listed = true
  })
  const times = await pings(client, () => listed)
  await list
  await close()
  return times
}

function peakMegabytes(pid: number): number {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kilobytes ?? 0) / 1_000)
  } catch {
    return 0 // no /proc
  }
}
