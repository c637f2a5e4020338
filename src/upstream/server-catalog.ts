/** What is known of a server, its facts and its lists: from the cache until it has spoken, then from itself and back into the cache. */
import type { ListKind } from '../protocol/compute-api.js'
import type { CachedCatalog, CatalogKey } from './catalog-cache.js'
import type { Connection } from './connection.js'
import { initialize } from './handshake.js'
import { ListKeeper } from './list-keeper.js'
import type { ClientFacts, ServerFacts } from './upstream.js'
import type { UpstreamOptions } from './upstream-options.js'

interface CatalogEvents {
  /** Whether changes are told at once; else they are when `tell` is called. */
  readonly isOpen: () => boolean
  /** A list is known for the first time or came back different. */
  readonly changed: (kind: ListKind) => void
  /** The cache had a catalog, and nothing else was known. */
  readonly recalled: () => void
}

/** Changes often come together. */
const SETTLE_MS = 500

export class ServerCatalog {
  readonly lists: ListKeeper
  readonly #options: UpstreamOptions
  readonly #events: CatalogEvents
  readonly #untold = new Set<ListKind>()
  #facts: ServerFacts | undefined
  #cached = false
  #recalling: Promise<void> | undefined
  #saving: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: UpstreamOptions, events: CatalogEvents) {
    const { compute, logger, server } = options
    this.#options = options
    this.#events = events
    this.lists = new ListKeeper({ name: server.name, compute, logger, changed: (kind) => this.#changed(kind) })
  }

  get facts(): ServerFacts | undefined {
    return this.#facts
  }

  /** The facts are the cache's. */
  get cached(): boolean {
    return this.#cached
  }

  /** Takes what the cache has, unless the server has spoken: once, however often it is called. Never rejects. */
  recall(): Promise<void> {
    this.#recalling ??= this.#recall()
    return this.#recalling
  }

  /** Initialises the server and takes what it says of itself. @throws what `initialize` throws */
  async greet(connection: Connection): Promise<void> {
    this.#facts = await initialize(connection, this.#client())
    this.#cached = false
  }

  /** Reads all lists, waiting at most `limitMs`. Never rejects. */
  async readAll(connection: Connection, limitMs?: number): Promise<void> {
    if (!this.#facts) return
    await this.lists.readAll(connection, this.#facts, limitMs)
    // At once, for the sessions that open now.
    this.#save()
  }

  /** Tells the changes that could not be told when they came. */
  tell(): void {
    for (const kind of this.#untold) this.#events.changed(kind)
    this.#untold.clear()
  }

  /** Writes at once what is to be written. */
  close(): void {
    this.#closed = true
    if (this.#saving) this.#save()
  }

  // --- internal ---

  #client(): ClientFacts {
    const { client } = this.#options
    return typeof client === 'function' ? client() : client
  }

  #key(): CatalogKey {
    return { wire: this.#options.server.wire, client: this.#client() }
  }

  async #recall(): Promise<void> {
    const catalog = await this.#options.cache?.load(this.#key())
    if (!catalog || this.#facts || this.#closed) return
    this.#facts = catalog.facts
    this.#cached = true
    for (const kind of this.lists.recall(catalog.lists)) this.#events.changed(kind)
    this.#events.recalled()
  }

  #changed(kind: ListKind): void {
    this.#saveSoon()
    if (this.#events.isOpen()) this.#events.changed(kind)
    else this.#untold.add(kind)
  }

  #saveSoon(): void {
    if (this.#options.cache && !this.#closed) this.#saving ??= setTimeout(() => this.#save(), SETTLE_MS).unref()
  }

  #save(): void {
    clearTimeout(this.#saving)
    this.#saving = undefined
    const catalog = this.#ownWords()
    if (catalog) void this.#options.cache?.save(this.#key(), catalog)
  }

  /** What the server itself has said, if that is all. */
  #ownWords(): CachedCatalog | undefined {
    const facts = this.#cached ? undefined : this.#facts
    const lists = facts && this.lists.complete(facts)
    return facts && lists && { facts, lists }
  }
}
