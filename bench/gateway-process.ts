/** A gateway in a process of its own, in front of fixture servers, as a client would start it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
  readonly settings?: object
  /** Arguments of every script, or of each by its server's name. */
  readonly args?: readonly string[] | ((server: string) => readonly string[])
  /** What the gateway remembers; by default a folder that goes with it. */
  readonly dataFolder?: string
  /** Wait for the first list; true by default. */
  readonly untilListed?: boolean
}

export async function openSluice(options: GatewayOptions): Promise<GatewayProcess> {
  const { servers, settings = {}, args = [], dataFolder, untilListed } = options
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const config = join(folder, 'sluice.json')
  const argsOf = (server: string) => (typeof args === 'function' ? args(server) : args)
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, script]) => [name, { command: process.execPath, args: [script, ...argsOf(name)] }]),
  )
  writeFileSync(config, JSON.stringify({ mcpServers, sluice: settings }))
  const cli = fileURLToPath(new URL('../src/cli.js', import.meta.url))
  const client = new StdioClient(process.execPath, [cli, '--config', config], { XDG_DATA_HOME: dataFolder ?? folder })
  await client.initialize(untilListed)
  return {
    client,
    async close() {
      await client.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
