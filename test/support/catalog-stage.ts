/** Gateways in front of servers with given catalogs, and clients that see the very bytes they are given. All of it ends with `close`. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { LIST_KINDS, type ListKind } from '../../src/protocol/compute-api.js'
import { elementsOf, findPath, textOf } from '../../src/protocol/json-spans.js'
import type { Catalog } from './catalogs.js'
import { CLI, DATA, fixture, isolatedEnv, type ServerEntry } from './gateway.js'
import { RawClient, type RawMessage } from './raw-client.js'
import { stdioWire } from './raw-wire.js'

export type Servers = Readonly<Record<string, ServerEntry>>

export interface CatalogRun {
  /** Remembered from one start to the next; a new one if absent. */
  readonly home?: string
  readonly settings?: object
  readonly clientName?: string
  readonly flags?: readonly string[]
}

/** No start is to be late on a busy machine. */
export const PATIENT = { initWait: 40_000, listWait: 40_000, searchWait: 40_000 }
const LIMIT_MS = 50_000

export class CatalogStage {
  readonly #closing: (() => unknown)[] = []

  /** A folder that goes with the stage. */
  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-catalog-'))
    this.#closing.push(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  }

  /** Servers with these catalogs, by their aliases. */
  serve(catalogs: Readonly<Record<string, Catalog>>, folder = this.folder()): Servers {
    const entries = Object.entries(catalogs).map(([name, catalog]) => {
      const file = join(folder, `${name}.json`)
      writeCatalog(file, catalog)
      return [name, fixture('catalog-server.js', file)]
    })
    return Object.fromEntries(entries)
  }

  /** A gateway over stdio with a client on it, initialized. */
  async open(servers: Servers, { home = this.folder(), settings = {}, clientName = 'raw', flags = [] }: CatalogRun = {}) {
    const config = join(home, 'config.json')
    writeFileSync(config, JSON.stringify({ mcpServers: servers, sluice: { ...PATIENT, ...settings } }))
    const command = { command: process.execPath, args: [CLI, '--config', config, ...flags] }
    return this.connect(new RawClient(stdioWire(command, isolatedEnv(home)), LIMIT_MS), clientName)
  }

  async connect(raw: RawClient, clientName = 'raw'): Promise<CatalogClient> {
    const client = new CatalogClient(raw)
    this.#closing.push(() => client.close())
    await client.begin(clientName)
    return client
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close()
  }
}

export class CatalogClient {
  readonly raw: RawClient
  instructions = ''
  #closing: Promise<void> | undefined

  constructor(raw: RawClient) {
    this.raw = raw
  }

  async begin(clientName: string): Promise<void> {
    const { result } = await this.raw.initialize({}, { clientInfo: { name: clientName, version: '1' } })
    this.instructions = String(result?.['instructions'] ?? '')
  }

  /** The JSON text of each entry of a list, as it was sent. */
  async entries(kind: ListKind): Promise<string[]> {
    const bytes = Buffer.from(await this.raw.request(METHODS[kind], {}))
    const list = findPath(bytes, ['result', kind])
    return list ? elementsOf(bytes, list.start).map((span) => textOf(bytes, span)) : []
  }

  /** The JSON text of the array of tools. */
  async toolsText(): Promise<string> {
    const bytes = Buffer.from(await this.raw.request('tools/list', {}))
    const list = findPath(bytes, ['result', 'tools'])
    return list ? textOf(bytes, list) : '[]'
  }

  async toolNames(): Promise<string[]> {
    return namesIn(await this.toolsText())
  }

  /** All that a client is given of a catalog, one text a list, instructions last. */
  async given(): Promise<string[]> {
    const lists: string[] = []
    for (const kind of LIST_KINDS) lists.push(`[${(await this.entries(kind)).join(',')}]`)
    return [...lists, this.instructions]
  }

  /** What `sluice://servers` says of the catalog. */
  async catalog(): Promise<CatalogFacts> {
    const { result } = await this.raw.ask('resources/read', { uri: 'sluice://servers' })
    const [content] = (result?.['contents'] ?? []) as { text: string }[]
    return (JSON.parse(content?.text ?? '{}') as { catalog: CatalogFacts }).catalog
  }

  async text(name: string, args: unknown = {}): Promise<string> {
    return textIn(await this.raw.ask('tools/call', { name, arguments: args }))
  }

  search(queries: readonly string[], more: object = { source: 'mcp/' }): Promise<string> {
    return this.text('IndexSearch', { queries, ...more })
  }

  close(): Promise<void> {
    this.#closing ??= this.raw.close()
    return this.#closing
  }
}

export interface CatalogFacts {
  readonly indexed: boolean
  readonly rawBytes: number
  readonly listed: Readonly<Record<ListKind, number>>
  readonly deferred: Readonly<Record<ListKind, number>>
  readonly toolTokens?: number
  readonly contextBudget?: number
  readonly unfitPins: readonly string[]
  readonly unknownPins: readonly string[]
}

/** Replaces the file at once, so that nobody reads half of it. */
export function writeCatalog(file: string, catalog: Catalog): void {
  writeFileSync(`${file}.part`, JSON.stringify(catalog))
  renameSync(`${file}.part`, file)
}

/** Servers of the data, by their file names. Throws where the data is not there. */
export function dataServers(names: readonly string[]): Servers {
  const folder = join(DATA ?? '', 'tools')
  return Object.fromEntries(names.map((name) => [name, fixture('catalog-server.js', join(folder, `${name}.json`))]))
}

export function tokensOf(text: string): number {
  return encode(text).length
}

export function namesIn(toolsText: string): string[] {
  return (JSON.parse(toolsText) as { name: string }[]).map(({ name }) => name)
}

/** Names without those of the gateway's own tools. */
export function upstreamNames(names: readonly string[]): string[] {
  return names.filter((name) => name.includes('__'))
}

/** The text blocks of a tool result, or what the error says. */
export function textIn({ result, error }: RawMessage): string {
  if (error) return error.message
  const blocks = (result?.['content'] ?? []) as { text?: string; resource?: { text?: string } }[]
  return blocks.map(({ text, resource }) => text ?? resource?.text ?? '').join('\n')
}

// --- internal ---

const METHODS: Readonly<Record<ListKind, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
}
