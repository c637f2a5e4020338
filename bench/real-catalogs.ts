/** The catalogs of real servers in the data folder, served by fixture servers behind a gateway. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixture, type GatewayOptions } from './gateway-process.js'
import { dataFolder } from './tool-queries.js'

/** How many servers each row is about. */
export const MIXES = [2, 6, 20, 42]
export const SMOKE_MIXES = [2, 6]
export const NO_DATA = 'no data folder: set SLUICE_DATA'

/** Files of `count` servers that were listed live, spread over the alphabet; undefined without the data. */
export function realServers(count: number): string[] | undefined {
  const folder = dataFolder()
  if (folder === undefined) return undefined
  const live = readdirSync(join(folder, 'tools')).filter((file) => file.endsWith('.json') && !file.startsWith('lmb-'))
  const chosen = Math.min(count, live.length)
  return Array.from({ length: chosen }, (_, at) => join(folder, 'tools', live[Math.floor((at * live.length) / chosen)] ?? ''))
}

export function toolsIn(file: string): readonly unknown[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { tools?: unknown[] }).tools ?? []
}

/** A gateway in front of them that waits until all are there. */
export function inFrontOf(files: readonly string[], settings: object = {}): Omit<GatewayOptions, 'dataFolder'> {
  const byName = new Map(files.map((file) => [nameOf(file), file]))
  return {
    servers: Object.fromEntries([...byName.keys()].map((name) => [name, fixture('catalog-server.js')])),
    args: (server) => [byName.get(server) ?? ''],
    settings: { initWait: '60 s', listWait: '60 s', connectTimeout: '60 s', ...settings },
  }
}

// --- internal ---

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1, -'.json'.length)
}
