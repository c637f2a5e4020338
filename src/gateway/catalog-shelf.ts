/** Catalogs made ready, by content: sessions whose servers say the same share the work and the memory. */
import { createHash } from 'node:crypto'
import type { ComputePool } from '../actor/compute-pool.js'
import { BoundedMap } from '../base/bounded-map.js'
import type { PrepareArgs, PreparedServer } from '../protocol/catalog-api.js'
import { LIST_KINDS } from '../protocol/compute-api.js'

/** Catalogs kept; the one put in first goes first. */
const MAX_KEPT = 200

export interface ShelfOptions {
  readonly compute: ComputePool
  /** The package's version: another one may prepare the same otherwise. */
  readonly version: string
  /** What is kept outlives the process here; undefined: nowhere. */
  readonly dataDir: string | undefined
}

export class CatalogShelf {
  readonly #options: ShelfOptions
  readonly #ready = new BoundedMap<string, Promise<PreparedServer>>(MAX_KEPT)

  constructor(options: ShelfOptions) {
    this.#options = options
  }

  /** Rejects with what the pool says; the next ask tries again. */
  prepare(args: PrepareArgs): Promise<PreparedServer> {
    const key = contentKey(args, this.#options.version)
    const known = this.#ready.get(key)
    if (known !== undefined) return known
    const preparing = this.#prepare(args, key)
    this.#ready.set(key, preparing)
    preparing.catch(() => {
      if (this.#ready.get(key) === preparing) this.#ready.delete(key)
    })
    return preparing
  }

  // --- internal ---

  /** What needs no counting is small, and prepared as soon as read. */
  async #prepare(args: PrepareArgs, name: string): Promise<PreparedServer> {
    const { compute, dataDir } = this.#options
    if (dataDir === undefined || !args.options.costs) return compute.run('prepareServer', args)
    const file = { dataDir, name }
    return (await compute.run('loadPrepared', file)) ?? compute.run('prepareServer', { ...args, keepAs: file })
  }
}

// --- internal ---

/** Every part is preceded by its length, so that no two contents run together. */
function contentKey({ server, lists, options }: PrepareArgs, version: string): string {
  const hash = createHash('sha256')
  const put = (text: string) => hash.update(`${text.length}:`).update(text)
  put(JSON.stringify([version, server, options]))
  for (const kind of LIST_KINDS) {
    put(kind)
    for (const { key, exposed, json } of lists[kind]) {
      put(key)
      put(exposed)
      put(json)
    }
  }
  return hash.digest('hex')
}
