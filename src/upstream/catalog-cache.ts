/** Catalogs of servers kept on disk, so that a start need not ask them: a file each, named and sealed with this machine's key. */
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { BoundedMap } from '../base/bounded-map.js'
import { messageOf } from '../base/errors.js'
import type { LogFields, Logger } from '../base/logger.js'
import { machineKey } from '../base/machine-key.js'
import { SealedFiles } from '../base/sealed-files.js'
import type { Wire } from '../config/config.js'
import { asRecord } from '../protocol/messages.js'
import type { KeptLists } from './list-keeper.js'
import type { ClientFacts, ServerFacts } from './upstream.js'

/** What a server said of itself and lists. */
export interface CachedCatalog {
  readonly facts: ServerFacts
  readonly lists: KeptLists
}

/** What decides about a catalog: how the server is reached, and what it is offered. */
export interface CatalogKey {
  readonly wire: Wire
  readonly client: Pick<ClientFacts, 'protocolVersion' | 'capabilities'>
}

export interface CatalogCache {
  /** Undefined where there is none, or none that this machine wrote. Never rejects. */
  load(key: CatalogKey): Promise<CachedCatalog | undefined>
  /**
   * Replaces what is there. A catalog without a single entry is taken out instead: nobody could make the call that starts its server.
   * Never rejects: where nothing can be written, the catalog is kept for this process.
   */
  save(key: CatalogKey, catalog: CachedCatalog): Promise<void>
  /** Resolves when everything that was to be saved is on disk, or has failed. */
  flush(): Promise<void>
}

interface CacheOptions {
  /** Where Sluice keeps what it remembers. Catalogs are in `catalogs` of it. May not exist. */
  readonly folder: string
  readonly logger: Logger
}

export function createCatalogCache(options: CacheOptions): CatalogCache {
  return new DiskCatalogCache(options)
}

// --- internal ---

/** To be raised when the shape of {@link CachedCatalog} changes; files of other versions are other files. */
const VERSION = 1
/** Reading what is larger would hold up the main thread. */
const MAX_CHARS = 8 << 20
const KEPT_IN_MEMORY = 500
const MAX_FILES = 1000
const UNUSED_MS = 90 * 24 * 60 * 60 * 1000
const SAVES_BETWEEN_PRUNINGS = 50

interface Kept {
  readonly catalog: CachedCatalog
  readonly seal: string
}

class DiskCatalogCache implements CatalogCache {
  readonly #options: CacheOptions
  readonly #files: SealedFiles
  readonly #kept = new BoundedMap<string, Kept>(KEPT_IN_MEMORY)
  readonly #reading = new Map<string, Promise<Kept | undefined>>()
  readonly #writing = new Set<Promise<void>>()
  #saves = 0
  #warned = false

  constructor(options: CacheOptions) {
    this.#options = options
    this.#files = new SealedFiles({
      folder: join(options.folder, 'catalogs'),
      version: VERSION,
      key: () => this.#key(),
      limits: { maxAgeMs: UNUSED_MS, maxFiles: MAX_FILES },
    })
  }

  async load(key: CatalogKey): Promise<CachedCatalog | undefined> {
    const name = await this.#nameOf(key)
    const kept = this.#kept.get(name) ?? (await this.#readOnce(name))
    return kept?.catalog
  }

  async save(key: CatalogKey, catalog: CachedCatalog): Promise<void> {
    const writing = this.#nameOf(key).then((name) => this.#keep(name, catalog))
    this.#writing.add(writing)
    await writing
    this.#writing.delete(writing)
  }

  async flush(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing)
  }

  // --- internal ---

  async #nameOf({ wire, client }: CatalogKey): Promise<string> {
    // A relative command or argument means another server in another folder.
    const reached = wire.kind === 'stdio' ? { ...wire, cwd: resolve(wire.cwd ?? '.') } : wire
    const { protocolVersion, capabilities } = client
    return this.#files.digest(canonicalJson({ version: VERSION, reached, protocolVersion, capabilities }))
  }

  #key(): Promise<Uint8Array> {
    return machineKey(this.#options.folder).catch((error: unknown) => {
      this.#cannotWrite(error)
      return randomBytes(32)
    })
  }

  /** Who asks while it is read gets the same. */
  #readOnce(name: string): Promise<Kept | undefined> {
    const running = this.#reading.get(name)
    if (running !== undefined) return running
    const reading = this.#read(name).finally(() => this.#reading.delete(name))
    this.#reading.set(name, reading)
    return reading
  }

  async #read(name: string): Promise<Kept | undefined> {
    try {
      const sealed = await this.#files.read(name)
      if (sealed === 'absent') return undefined
      if (sealed === 'broken') return await this.#discard(name, 'not as it was written')
      await this.#touch(name)
      // What was saved meanwhile is newer.
      const kept = this.#kept.get(name) ?? { seal: sealed.seal, catalog: JSON.parse(sealed.content) as CachedCatalog }
      this.#kept.set(name, kept)
      return kept
    } catch (error) {
      this.#log('catalog_unread', { name, error: messageOf(error) })
      return undefined
    }
  }

  async #keep(name: string, catalog: CachedCatalog): Promise<void> {
    const body = JSON.stringify(catalog)
    if (isEmpty(catalog) || body.length > MAX_CHARS) {
      await this.#discard(name, 'nothing to keep, or too much')
      return
    }
    const sealed = await this.#files.seal(name, body)
    if (this.#kept.get(name)?.seal === sealed.seal) return
    this.#kept.set(name, { catalog, seal: sealed.seal })
    try {
      await this.#files.write(name, sealed)
      if (this.#saves++ % SAVES_BETWEEN_PRUNINGS === 0) await this.#files.prune()
    } catch (error) {
      this.#cannotWrite(error)
    }
  }

  async #discard(name: string, why: string): Promise<undefined> {
    this.#log('catalog_discarded', { name, why })
    this.#kept.delete(name)
    await this.#files.remove(name).catch((error: unknown) => this.#cannotWrite(error))
  }

  /** A folder that only lets us read is no fault here. */
  async #touch(name: string): Promise<void> {
    await this.#files.touch(name).catch((error: unknown) => this.#log('catalog_untouched', { error: messageOf(error) }))
  }

  #log(event: string, fields: LogFields): void {
    this.#options.logger.debug(event, fields)
  }

  #cannotWrite(error: unknown): void {
    const { logger, folder } = this.#options
    logger[this.#warned ? 'debug' : 'warn']('catalog_cache_unwritable', { folder, error: messageOf(error) })
    this.#warned = true
  }
}

function isEmpty({ lists }: CachedCatalog): boolean {
  return Object.values(lists).every(({ items }) => items.length === 0)
}

/** The same text for equal values, in whatever order their members were written. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    const record = asRecord(inner)
    return record ? Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
  })
}
