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

/**
 * @param servers by name, the script each runs
 * @param args of every script
 */
export async function openSluice(
  servers: Readonly<Record<string, string>>,
  settings: object = {},
  args: readonly string[] = [],
): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const config = join(folder, 'sluice.json')
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, script]) => [name, { command: process.execPath, args: [script, ...args] }]),
  )
  writeFileSync(config, JSON.stringify({ mcpServers, sluice: settings }))
  const cli = fileURLToPath(new URL('../src/cli.js', import.meta.url))
  const client = new StdioClient(process.execPath, [cli, '--config', config])
  await client.initialize()
  return {
    client,
    async close() {
      await client.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
