/** A gateway in a process of its own, in front of fixture servers, as a client would start it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LoopDelay } from './loop-monitor.js'
import { StdioClient } from './stdio-client.js'

export interface GatewayProcess {
  readonly client: StdioClient
  close(): Promise<void>
}

/** The path of a compiled fixture server. */
export function fixture(file: string): string {
  return fileURLToPath(new URL(`../test/fixtures/${file}`, import.meta.url))
}

export interface GatewayOptions {
  /** Scripts by server name. */
  readonly servers: Readonly<Record<string, string>>
  /** More members of every server's entry. */
  readonly entry?: object
  readonly settings?: object
  /** Arguments of every script, or of each by its server's name. */
  readonly args?: readonly string[] | ((server: string) => readonly string[])
  /** What the gateway remembers; by default a folder that goes with it. */
  readonly dataFolder?: string
  /** Wait for the first list; true by default. */
  readonly untilListed?: boolean
}

export async function openSluice(options: GatewayOptions): Promise<GatewayProcess> {
  const { folder, config } = homeOf(options)
  const client = new StdioClient(process.execPath, [CLI, '--config', config], environmentIn(options.dataFolder ?? folder))
  await client.initialize(options.untilListed)
  return {
    client,
    async close() {
      await client.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface HttpProcess {
  readonly url: string
  readonly pid: number
  /** How long the main thread's event loop was held up since this was last asked. */
  loopDelay(): Promise<LoopDelay>
  close(): Promise<void>
}

/** `sluice serve`, its event loop watched. */
export async function serveSluice(options: GatewayOptions): Promise<HttpProcess> {
  const { folder, config } = homeOf(options)
  const monitor = fileURLToPath(new URL('loop-monitor.js', import.meta.url))
  const args = ['--import', monitor, CLI, 'serve', '--port', '0', '--config', config]
  const process = await serveHttpProcess(args, environmentIn(options.dataFolder ?? folder))
  return {
    ...process,
    async close() {
      await process.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A process that says on stderr where it listens. */
export async function serveHttpProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<HttpProcess> {
  const stdio: ('ignore' | 'pipe' | 'ipc')[] = ['ignore', 'ignore', 'pipe', 'ipc']
  const child = spawn(process.execPath, args, { stdio, env: { ...process.env, ...env } })
  const url = await listeningUrl(child)
  return {
    url,
    pid: child.pid ?? 0,
    async loopDelay() {
      const answer = once(child, 'message')
      child.send('?')
      const [delay] = await answer
      return delay as LoopDelay
    },
    async close() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

// --- internal ---

const CLI = fileURLToPath(new URL('../src/cli.js', import.meta.url))
const URL_SAID = /http:\/\/127\.0\.0\.1:\d+\/mcp/

function homeOf({ servers, entry, settings = {}, args = [] }: GatewayOptions): { folder: string; config: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const config = join(folder, 'sluice.json')
  const argsOf = (server: string) => (typeof args === 'function' ? args(server) : args)
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, script]) => [
      name,
      { command: process.execPath, args: [script, ...argsOf(name)], ...entry },
    ]),
  )
  writeFileSync(config, JSON.stringify({ mcpServers, sluice: settings }))
  return { folder, config }
}

function environmentIn(dataFolder: string): Record<string, string> {
  return { XDG_DATA_HOME: dataFolder }
}

function listeningUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-10_000)
      const url = URL_SAID.exec(said)?.[0]
      if (url !== undefined) resolve(url)
    })
    child.once('exit', () => reject(new Error(`it ended before it listened: ${said}`)))
  })
}
