/** One session's merged lists: server order of the configuration, then each server's own order, under exposed names. */
import picomatch from 'picomatch'
import { editEntry, listResult, type PageRequest } from '../catalog/merge.js'
import type { NameTable } from '../catalog/names.js'
import type { UriTable } from '../catalog/uris.js'
import type { ServerConfig } from '../config/config.js'
import type { ListItem, ListKind } from '../protocol/compute-api.js'
import type { Upstream } from '../upstream/upstream.js'

export const LIST_KINDS = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const satisfies readonly ListKind[]

interface ListViewOptions {
  readonly tools: NameTable
  readonly prompts: NameTable
  readonly uris: UriTable
  /** Leave out outputSchema: an indexed result has no structuredContent that could match it. */
  readonly withoutOutputSchema: boolean
  /** JSON texts of the gateway's own entries; they come first. */
  readonly own: Readonly<Partial<Record<ListKind, readonly string[]>>>
}

export class ListView {
  readonly #options: ListViewOptions
  readonly #entries = new WeakMap<readonly ListItem[], readonly string[]>()
  readonly #filters = new Map<ServerConfig, (name: string) => boolean>()

  constructor(options: ListViewOptions) {
    this.#options = options
  }

  /** The JSON text of the list result; undefined if the cursor is none of ours. */
  result(kind: ListKind, upstreams: readonly Upstream[], page: PageRequest): string | undefined {
    const entries = upstreams.flatMap((upstream) => this.entriesOf(upstream, kind))
    return listResult(kind, [...(this.#options.own[kind] ?? []), ...entries], page)
  }

  /** An upstream's entries as they are listed. Gives out their names. */
  entriesOf(upstream: Upstream, kind: ListKind): readonly string[] {
    const items = upstream.list(kind)
    let entries = this.#entries.get(items)
    if (!entries) {
      const kept = kind === 'tools' ? items.filter((item) => this.allows(upstream.server, item.key)) : items
      entries = kept.map((item) => this.#entry(upstream.server.alias, kind, item))
      this.#entries.set(items, entries)
    }
    return entries
  }

  /** Whether `include` and `exclude` let a tool through. */
  allows(server: ServerConfig, tool: string): boolean {
    let filter = this.#filters.get(server)
    if (!filter) {
      filter = toolFilter(server)
      this.#filters.set(server, filter)
    }
    return filter(tool)
  }

  #entry(alias: string, kind: ListKind, item: ListItem): string {
    const { tools, prompts, uris, withoutOutputSchema } = this.#options
    if (kind === 'tools') {
      const without = withoutOutputSchema ? ['outputSchema'] : []
      return editEntry(item, { set: { name: tools.expose(alias, item.key) }, without })
    }
    if (kind === 'prompts') return editEntry(item, { set: { name: prompts.expose(alias, item.key) } })
    const exposed = uris.expose(alias, item.key)
    if (exposed === item.key) return item.json
    return editEntry(item, { set: { [kind === 'resources' ? 'uri' : 'uriTemplate']: exposed } })
  }
}

// --- internal ---

function toolFilter(server: ServerConfig): (name: string) => boolean {
  const included = server.include.length === 0 ? () => true : picomatch([...server.include])
  const excluded = server.exclude.length === 0 ? () => false : picomatch([...server.exclude])
  return (name) => included(name) && !excluded(name)
}
