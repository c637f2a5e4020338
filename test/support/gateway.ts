/** Real gateways in processes of their own, with real clients on them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { packageRoot } from '../../src/base/version.js'

export const CLI = join(packageRoot(), 'dist/src/cli.js')
/** The shared data, or undefined where it is not there. */
export const DATA = existsSync(dataFolder()) ? dataFolder() : undefined

export interface ServerEntry {
  readonly command?: string
  readonly args?: readonly string[]
  readonly url?: string
  readonly [key: string]: unknown
}

export function fixture(file: string, ...args: string[]): ServerEntry {
  return { command: process.execPath, args: [join(packageRoot(), 'dist/test/fixtures', file), ...args] }
}

/** A server of an npm package, by its bin. */
export function packaged(bin: string, ...args: string[]): ServerEntry {
  return { command: process.execPath, args: [join(packageRoot(), 'node_modules/.bin', bin), ...args] }
}

/** A temporary folder with a configuration file in it. */
export interface Home {
  readonly folder: string
  readonly config: string
  remove(): void
}

export function createHome(servers: Readonly<Record<string, ServerEntry>>, settings: object = {}): Home {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ mcpServers: servers, sluice: settings }))
  return { folder, config, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface StdioGateway {
  readonly client: Client
  readonly pid: number
  close(): Promise<void>
}

/** `sluice --config` with an SDK client on its stdio. */
export async function openStdioGateway(
  servers: Readonly<Record<string, ServerEntry>>,
  settings: object = {},
  client: Client = new Client({ name: 'test', version: '1' }),
): Promise<StdioGateway> {
  const home = createHome(servers, settings)
  const gateway = await openStdioGatewayIn(home, client)
  return {
    ...gateway,
    async close() {
      await gateway.close()
      home.remove()
    },
  }
}

/** The same in a home that stays, with what the gateway remembers in it. */
export async function openStdioGatewayIn(
  home: Home,
  client: Client = new Client({ name: 'test', version: '1' }),
): Promise<StdioGateway> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, '--config', home.config],
    stderr: 'ignore',
    env: isolatedEnv(home.folder),
    maxBufferSize: 512 * 1024 * 1024,
  } as ConstructorParameters<typeof StdioClientTransport>[0])
  await client.connect(transport)
  return { client, pid: transport.pid ?? 0, close: () => client.close() }
}

export interface HttpGateway {
  readonly url: URL
  readonly pid: number
  readonly stderr: () => string
  connect(client?: Client): Promise<{ client: Client; transport: StreamableHTTPClientTransport }>
  close(): Promise<void>
}

/** `sluice serve --port 0` and its url, read off stderr. */
export async function openHttpGateway(
  servers: Readonly<Record<string, ServerEntry>>,
  settings: object = {},
  variables: Readonly<Record<string, string>> = {},
): Promise<HttpGateway> {
  const home = createHome(servers, settings)
  const child = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--config', home.config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...isolatedEnv(home.folder), ...variables },
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const url = new URL(await appears(child, () => /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(stderr)?.[0]))
  return {
    url,
    pid: child.pid ?? 0,
    stderr: () => stderr,
    async connect(client = new Client({ name: 'test', version: '1' })) {
      const transport = new StreamableHTTPClientTransport(url)
      await client.connect(transport)
      return { client, transport }
    },
    async close() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      home.remove()
    },
  }
}

/** The text of a tool result's first block. */
export async function callText(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const result = (await client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 })) as CallToolResult
  const [first] = result.content
  return first?.type === 'text' ? first.text : JSON.stringify(result)
}

const RECEIPT = /^\[Response compressed — (\d+) bytes, (\d+) lines, indexed as "([^"]+)"\]\n\n/

export function parseReceipt(text: string): { bytes: number; lines: number; label: string } | undefined {
  const found = RECEIPT.exec(text)
  return found ? { bytes: Number(found[1]), lines: Number(found[2]), label: found[3] ?? '' } : undefined
}

/** All lines of an indexed source, read to its end as a model would: following every "continue with". */
export async function readAll(client: Client, label: string, lines: number): Promise<string[]> {
  const found: string[] = []
  let offset: string | undefined = '1'
  while (offset !== undefined) {
    const text: string = await callText(client, 'IndexRead', { label, offset, limit: lines })
    const rows = text.split('\n')
    offset = undefined
    for (const row of rows) {
      const more = /^\[\d+ more lines — continue with offset="([^"]+)"\]$/.exec(row)
      const numbered = /^ *(\d+)(?:-(\d+))?\t(.*)$/s.exec(row)
      if (more) offset = more[1]
      else if (!numbered) throw new Error(`a row that is neither: ${row.slice(0, 200)}`)
      else if (numbered[2] === undefined || numbered[2] === '1') found.push(numbered[3] ?? '')
      else found.push((found.pop() ?? '') + numbered[3])
    }
  }
  return found
}

/** Waits until `find` gives something; fails when the process ends first. */
export async function appears<T>(child: ChildProcess, find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find()
    if (found !== undefined) return found
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('the process ended before that')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** An environment in which no file of the user's is found. */
export function isolatedEnv(home: string): Record<string, string> {
  const { PATH = '' } = process.env
  return { PATH, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_DATA_HOME: join(home, 'data') }
}

// --- internal ---

function dataFolder(): string {
  return resolve(packageRoot(), process.env['SLUICE_DATA'] ?? '../shared/data')
}
