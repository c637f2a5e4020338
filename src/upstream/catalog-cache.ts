/** Catalogs of servers kept on disk, so that a start need not ask them: a file each, named and sealed with this machine's key. */
import { randomBytes } from 'node:crypto'
import { readFile, rm, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BoundedMap } from '../base/bounded-map.js'
import { messageOf } from '../base/errors.js'
import type { LogFields, Logger } from '../base/logger.js'
import { machineKey } from '../base/machine-key.js'
import { pruneFiles } from '../base/prune-files.js'
import { keyedDigest, seal, unseal } from '../base/seal.js'
import { writeOwnFile } from '../base/write-own-file.js'
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
const MAX_BYTES = 8 << 20
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
  readonly #folder: string
  readonly #kept = new BoundedMap<string, Kept>(KEPT_IN_MEMORY)
  readonly #reading = new Map<string, Promise<Kept | undefined>>()
  readonly #writing = new Set<Promise<void>>()
  #secret: Promise<Uint8Array> | undefined
  #saves = 0
  #warned = false

  constructor(options: CacheOptions) {
    this.#options = options
    this.#folder = join(options.folder, 'catalogs')
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
    return keyedDigest(await this.#key(), canonicalJson({ version: VERSION, reached, protocolVersion, capabilities }))
  }

  #key(): Promise<Uint8Array> {
    this.#secret ??= machineKey(this.#options.folder).catch((error: unknown) => {
      this.#cannotWrite(error)
      return randomBytes(32)
    })
    return this.#secret
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
    const file = this.#fileOf(name)
    try {
      const bytes = await readFile(file)
      const sealed = unseal(await this.#key(), { name, version: VERSION }, bytes)
      if (!sealed) return await this.#discard(name, 'not as it was written')
      await this.#touch(file)
      // What was saved meanwhile is newer.
      const kept = this.#kept.get(name) ?? {
        seal: sealed.seal,
        catalog: JSON.parse(sealed.content.toString()) as CachedCatalog,
      }
      this.#kept.set(name, kept)
      return kept
    } catch (error) {
      if (!isAbsent(error)) this.#log('catalog_unread', { name, error: messageOf(error) })
      return undefined
    }
  }

  async #keep(name: string, catalog: CachedCatalog): Promise<void> {
    const content = Buffer.from(JSON.stringify(catalog))
    if (isEmpty(catalog) || content.length > MAX_BYTES) {
      await this.#discard(name, 'nothing to keep, or too much')
      return
    }
    const sealed = seal(await this.#key(), { name, version: VERSION }, content)
    if (this.#kept.get(name)?.seal === sealed.seal) return
    this.#kept.set(name, { catalog, seal: sealed.seal })
    try {
      await writeOwnFile(this.#folder, `${name}.json`, sealed.bytes)
      if (this.#saves++ % SAVES_BETWEEN_PRUNINGS === 0)
        await pruneFiles(this.#folder, { maxAgeMs: UNUSED_MS, maxFiles: MAX_FILES })
    } catch (error) {
      this.#cannotWrite(error)
    }
  }

  async #discard(name: string, why: string): Promise<undefined> {
    this.#log('catalog_discarded', { name, why })
    this.#kept.delete(name)
    await rm(this.#fileOf(name), { force: true }).catch((error: unknown) => this.#cannotWrite(error))
  }

  /** So that it does not count as unused. A folder that only lets us read is no fault here. */
  async #touch(file: string): Promise<void> {
    const now = new Date()
    await utimes(file, now, now).catch((error: unknown) => this.#log('catalog_untouched', { error: messageOf(error) }))
  }

  #fileOf(name: string): string {
    return join(this.#folder, `${name}.json`)
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

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

/** The same text for equal values, in whatever order their members were written. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    const record = asRecord(inner)
    return record ? Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
  })
}
