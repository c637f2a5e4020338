/** Resource URIs of many servers in one list: the first keeps its own, a second server's equal one is listed under a namespaced URI. */

import { BoundedMap } from '../base/bounded-map.js'

export interface UriOwner {
  readonly alias: string
  /** The upstream's own URI. */
  readonly uri: string
}

const NAMESPACE = 'sluice://server/'
const MAX_ADOPTED = 10_000

export class UriTable {
  readonly #owners = new Map<string, UriOwner>()
  readonly #exposed = new Map<string, string>()
  readonly #mapped = new Set<string>()
  readonly #adopted = new BoundedMap<string, UriOwner>(MAX_ADOPTED)

  /** The exposed URI (or URI template) of an upstream's; given at the first ask. */
  expose(alias: string, uri: string): string {
    const key = `${alias}\0${uri}`
    const known = this.#exposed.get(key)
    if (known !== undefined) return known
    const taken = this.#owners.has(uri)
    const exposed = taken ? `${NAMESPACE}${alias}/${uri}` : uri
    if (taken) this.#mapped.add(alias)
    this.#exposed.set(key, exposed)
    this.#owners.set(exposed, { alias, uri })
    return exposed
  }

  /** The owner of a URI: listed, under a server's namespace, or out of a listed template. */
  resolve(exposed: string): UriOwner | undefined {
    const known = this.#owners.get(exposed) ?? this.#adopted.get(exposed)
    if (known) return known
    if (exposed.startsWith(NAMESPACE)) return namespaced(exposed)
    for (const [template, { alias }] of this.#owners) {
      if (template.includes('{') && !template.startsWith(NAMESPACE) && matchesTemplate(template, exposed))
        return { alias, uri: exposed }
    }
    return undefined
  }

  /**
   * The form under which a client reaches a URI that a server has sent in an answer. One that nobody lists belongs to the server
   * that sent it first.
   */
  adopt(alias: string, uri: string): string {
    if (!this.resolve(uri) && !uri.startsWith(NAMESPACE)) this.#adopted.set(uri, { alias, uri })
    return this.outward(alias, uri)
  }

  /** Whether any URI of this server is listed under another name than its own. */
  hasMapped(alias: string): boolean {
    return this.#mapped.has(alias)
  }

  /** The form under which a client reaches a URI that a server used in a message: namespaced if it would reach another server. */
  outward(alias: string, uri: string): string {
    const exposed = this.#exposed.get(`${alias}\0${uri}`)
    if (exposed !== undefined) return exposed
    const owner = this.resolve(uri)
    return owner && owner.alias !== alias ? `${NAMESPACE}${alias}/${uri}` : uri
  }
}

/** Whether `uri` can come from an RFC 6570 template: literals must match, each expression takes any text (level 1 and `+`, `#` alike). */
export function matchesTemplate(template: string, uri: string): boolean {
  const pattern = template
    .split(/\{[^{}]*\}/)
    .map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
  return new RegExp(`^${pattern}$`, 's').test(uri)
}

// --- internal ---

function namespaced(exposed: string): UriOwner | undefined {
  const slash = exposed.indexOf('/', NAMESPACE.length)
  if (slash < 0) return undefined
  return { alias: exposed.slice(NAMESPACE.length, slash), uri: exposed.slice(slash + 1) }
}
