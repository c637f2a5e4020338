/** One session's merged lists: server order of the configuration, then each server's own order, under exposed names. */
import picomatch from 'picomatch'
import { editEntry, listResult, mergeMembers } from '../catalog/merge.js'
import type { NameTable } from '../catalog/names.js'
import { type PageRequest, Pager } from '../catalog/pager.js'
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
  /** The gateway's own entries; they come first. */
  readonly own: Readonly<Partial<Record<ListKind, readonly ListItem[]>>>
}

export class ListView {
  readonly #options: ListViewOptions
  readonly #entries = new WeakMap<readonly ListItem[], readonly ListItem[]>()
  readonly #pagers = new Map<ListKind, Pager>(LIST_KINDS.map((kind) => [kind, new Pager()]))
  readonly #filters = new Map<ServerConfig, (name: string) => boolean>()

  constructor(options: ListViewOptions) {
    this.#options = options
  }

  /**
   * The JSON text of the list result; undefined if the cursor is none of ours. What servers' results have beside their entries is on
   * the first page, as it was taken from their first.
   */
  result(kind: ListKind, upstreams: readonly Upstream[], page: PageRequest): string | undefined {
    const entries = [...(this.#options.own[kind] ?? []), ...upstreams.flatMap((upstream) => this.entriesOf(upstream, kind))]
    const keys = entries.map(({ key }) => key)
    const part = this.#pagers.get(kind)?.page(keys, page)
    if (!part) return undefined
    const members = page.cursor === undefined ? mergeMembers(upstreams.map((upstream) => upstream.listMembers(kind))) : []
    const next = part.nextCursor === undefined ? [] : [{ key: 'nextCursor', json: JSON.stringify(part.nextCursor) }]
    const texts = entries.slice(part.from, part.to).map(({ json }) => json)
    return listResult(kind, texts, [...members, ...next])
  }

  /** An upstream's entries as they are listed, by their exposed names. Gives those out. */
  entriesOf(upstream: Upstream, kind: ListKind): readonly ListItem[] {
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

  #entry(alias: string, kind: ListKind, item: ListItem): ListItem {
    const { tools, prompts, uris, withoutOutputSchema } = this.#options
    if (kind === 'tools' || kind === 'prompts') {
      const key = (kind === 'tools' ? tools : prompts).expose(alias, item.key)
      const without = kind === 'tools' && withoutOutputSchema ? ['outputSchema'] : []
      return { key, json: editEntry(item, { set: { name: key }, without }) }
    }
    const key = uris.expose(alias, item.key)
    if (key === item.key) return item
    return { key, json: editEntry(item, { set: { [kind === 'resources' ? 'uri' : 'uriTemplate']: key } }) }
  }
}

// --- internal ---

function toolFilter(server: ServerConfig): (name: string) => boolean {
  const included = server.include.length === 0 ? () => true : picomatch([...server.include])
  const excluded = server.exclude.length === 0 ? () => false : picomatch([...server.exclude])
  return (name) => included(name) && !excluded(name)
}
