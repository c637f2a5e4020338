/** Ids that servers give out, in a form that one client can tell apart. */
import { BoundedMap } from '../base/bounded-map.js'

/** Of more than these the oldest are forgotten. */
const MAX_IDS = 10_000

export class OutwardIds {
  readonly #taken = new BoundedMap<string, true>(MAX_IDS)
  readonly #exposed = new BoundedMap<string, string>(MAX_IDS)

  /** The client's form of a server's id: the same, unless another server of the session has used it before. */
  expose(alias: string, id: string): string {
    const key = `${alias}\0${id}`
    const known = this.#exposed.get(key)
    if (known !== undefined) return known
    let exposed = id
    while (this.#taken.has(exposed)) exposed = `${alias}/${exposed}`
    this.#taken.set(exposed, true)
    this.#exposed.set(key, exposed)
    return exposed
  }
}
