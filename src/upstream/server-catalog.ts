/** What is known of a server, its facts and its lists: from the cache until it has spoken, then from itself and back into the cache. */
import type { ServerConfig } from '../config/config.js'
import type { ListKind } from '../protocol/compute-api.js'
import type { CachedCatalog, CatalogCache } from './catalog-cache.js'
import type { Connection } from './connection.js'
import { type KeeperOptions, ListKeeper } from './list-keeper.js'
import type { ClientFacts, ServerFacts } from './upstream.js'

interface CatalogOptions extends KeeperOptions {
  /** Absent: nothing is kept. */
  readonly cache: CatalogCache | undefined
  readonly wire: ServerConfig['wire']
  readonly client: () => ClientFacts
}

/** Changes often come together. */
const SETTLE_MS = 500

export class ServerCatalog {
  readonly lists: ListKeeper
  readonly #options: CatalogOptions
  #facts: ServerFacts | undefined
  #cached = false
  #saving: NodeJS.Timeout | undefined

  constructor(options: CatalogOptions) {
    this.#options = options
    const changed: CatalogOptions['changed'] = (kind) => {
      this.#saveSoon()
      options.changed(kind)
    }
    this.lists = new ListKeeper({ ...options, changed })
  }

  get facts(): ServerFacts | undefined {
    return this.#facts
  }

  /** The facts are the cache's. */
  get cached(): boolean {
    return this.#cached
  }

  /** Takes what the cache has, unless the server has spoken. Resolves to the kinds of lists that are known by it; undefined for no catalog. Never rejects. */
  async recall(): Promise<readonly ListKind[] | undefined> {
    const { cache, wire, client } = this.#options
    const catalog = await cache?.load({ wire, client: client() })
    if (!catalog || this.#facts) return undefined
    this.#facts = catalog.facts
    this.#cached = true
    return this.lists.recall(catalog.lists)
  }

  /** The server has answered `initialize`. */
  said(facts: ServerFacts): void {
    this.#facts = facts
    this.#cached = false
  }

  /** Reads all lists, waiting at most `limitMs`. Never rejects. */
  async readAll(connection: Connection, limitMs?: number): Promise<void> {
    if (!this.#facts) return
    await this.lists.readAll(connection, this.#facts, limitMs)
    this.#saveSoon()
  }

  /** Has written at once what is to be written. */
  settle(): void {
    if (!this.#saving) return
    clearTimeout(this.#saving)
    this.#saving = undefined
    const { cache, wire, client } = this.#options
    const catalog = this.#ownWords()
    if (catalog) void cache?.save({ wire, client: client() }, catalog)
  }

  // --- internal ---

  #saveSoon(): void {
    if (this.#options.cache) this.#saving ??= setTimeout(() => this.settle(), SETTLE_MS).unref()
  }

  /** What the server itself has said, if that is all. */
  #ownWords(): CachedCatalog | undefined {
    const facts = this.#cached ? undefined : this.#facts
    const lists = facts && this.lists.complete(facts)
    return facts && lists && { facts, lists }
  }
}
