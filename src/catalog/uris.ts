/** Resource URIs of many servers in one list: the first keeps its own, a second server's equal one is listed under a namespaced URI. */

export interface UriOwner {
  readonly alias: string
  /** The upstream's own URI. */
  readonly uri: string
}

const NAMESPACE = 'sluice://server/'

export class UriTable {
  readonly #owners = new Map<string, UriOwner>()
  readonly #exposed = new Map<string, string>()
  readonly #mapped = new Set<string>()

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

  /** The owner of an exposed URI, or of any URI under a server's namespace. */
  resolve(exposed: string): UriOwner | undefined {
    const known = this.#owners.get(exposed)
    if (known || !exposed.startsWith(NAMESPACE)) return known
    const slash = exposed.indexOf('/', NAMESPACE.length)
    if (slash < 0) return undefined
    return { alias: exposed.slice(NAMESPACE.length, slash), uri: exposed.slice(slash + 1) }
  }

  /** Whether any URI of this server is listed under another name than its own. */
  hasMapped(alias: string): boolean {
    return this.#mapped.has(alias)
  }

  /** The exposed form of a URI that a server used in a message, without giving one out. */
  outward(alias: string, uri: string): string {
    return this.#exposed.get(`${alias}\0${uri}`) ?? uri
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
