/** Catalogs made ready, by content: sessions whose servers say the same share the work and the memory. */
import { createHash } from 'node:crypto'
import type { ComputePool } from '../actor/compute-pool.js'
import { BoundedMap } from '../base/bounded-map.js'
import type { PrepareArgs, PreparedServer } from '../protocol/catalog-api.js'
import { LIST_KINDS } from '../protocol/compute-api.js'

/** Catalogs kept; the one put in first goes first. */
const MAX_KEPT = 200

export class CatalogShelf {
  readonly #compute: ComputePool
  readonly #ready = new BoundedMap<string, Promise<PreparedServer>>(MAX_KEPT)

  constructor(compute: ComputePool) {
    this.#compute = compute
  }

  /** Rejects with what the pool says; the next ask tries again. */
  prepare(args: PrepareArgs): Promise<PreparedServer> {
    const key = contentKey(args)
    const known = this.#ready.get(key)
    if (known !== undefined) return known
    const preparing = this.#compute.run('prepareServer', args)
    this.#ready.set(key, preparing)
    preparing.catch(() => {
      if (this.#ready.get(key) === preparing) this.#ready.delete(key)
    })
    return preparing
  }
}

// --- internal ---

/** Every part is preceded by its length, so that no two contents run together. */
function contentKey({ server, lists, options }: PrepareArgs): string {
  const hash = createHash('sha256')
  const put = (text: string) => hash.update(`${text.length}:`).update(text)
  put(JSON.stringify([server, options]))
  for (const kind of LIST_KINDS) {
    put(kind)
    for (const { exposed, json } of lists[kind]) {
      put(exposed)
      put(json)
    }
  }
  return hash.digest('base64')
}
