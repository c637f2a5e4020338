/** The list results that a client gets: entries in their order, a page at a time, and what servers' results had beside them. */
import { listResult, mergeMembers } from '../catalog/merge.js'
import { type PageRequest, Pager } from '../catalog/pager.js'
import { LIST_KINDS, type ListItem, type ListKind } from '../protocol/compute-api.js'
import type { Upstream } from '../upstream/upstream.js'

export class ListPages {
  readonly #pagers = new Map<ListKind, Pager>(LIST_KINDS.map((kind) => [kind, new Pager()]))

  /**
   * The JSON text of the list result; undefined if the cursor is none of ours. What servers' results have beside their entries is on
   * the first page, as it was taken from their first.
   */
  result(
    kind: ListKind,
    { entries, upstreams }: { entries: readonly ListItem[]; upstreams: readonly Upstream[] },
    page: PageRequest,
  ): string | undefined {
    const keys = entries.map(({ key }) => key)
    const part = this.#pagers.get(kind)?.page(keys, page)
    if (!part) return undefined
    const members = page.cursor === undefined ? mergeMembers(upstreams.map((upstream) => upstream.listMembers(kind))) : []
    const next = part.nextCursor === undefined ? [] : [{ key: 'nextCursor', json: JSON.stringify(part.nextCursor) }]
    const texts = entries.slice(part.from, part.to).map(({ json }) => json)
    return listResult(kind, texts, [...members, ...next])
  }
}
