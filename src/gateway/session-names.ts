/** The names under which one client knows tools, prompts and resources. */
import type { NamingStyle } from '../catalog/names.js'
import { NameTable } from '../catalog/names.js'
import type { UriTable } from '../catalog/uris.js'
import { LIST_KINDS, type ListItem, type ListKind } from '../protocol/compute-api.js'
import type { Upstream } from '../upstream/upstream.js'

interface SessionNamesOptions {
  readonly naming: NamingStyle
  readonly aliases: readonly string[]
  /** Names of the gateway's own tools. */
  readonly reserved: readonly string[]
  readonly uris: UriTable
}

export class SessionNames {
  readonly tools: NameTable
  readonly prompts: NameTable
  readonly uris: UriTable
  /** Lists whose names are given out. */
  readonly #settled = new WeakSet<readonly ListItem[]>()

  constructor({ naming, aliases, reserved, uris }: SessionNamesOptions) {
    this.tools = new NameTable({ naming, aliases, reserved })
    this.prompts = new NameTable({ naming, aliases, reserved: [] })
    this.uris = uris
  }

  /** The exposed name of an entry; given at the first ask. */
  expose(kind: ListKind, alias: string, key: string): string {
    if (kind === 'tools') return this.tools.expose(alias, key)
    return kind === 'prompts' ? this.prompts.expose(alias, key) : this.uris.expose(alias, key)
  }

  /** Gives out the names of all lists that have landed, in the order given, so that it does not matter in which order they did. */
  settle(upstreams: readonly Upstream[], allows: (upstream: Upstream, tool: string) => boolean): void {
    for (const kind of LIST_KINDS) {
      for (const upstream of upstreams) {
        const items = upstream.list(kind)
        if (this.#settled.has(items)) continue
        this.#settled.add(items)
        for (const { key } of items) {
          if (kind !== 'tools' || allows(upstream, key)) this.expose(kind, upstream.server.alias, key)
        }
      }
    }
  }
}
