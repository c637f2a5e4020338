/** Reads a server's list, all pages of it, with guards against a server that never ends. */

import { SluiceError } from '../base/errors.js'
import { readListPage } from '../catalog/list-page.js'
import type { ListItem, ListKind, ListMember, ListPage } from '../protocol/compute-api.js'
import { LARGE_FRAME } from '../protocol/frame.js'
import { RPC } from '../protocol/messages.js'
import { errorOf } from './handshake.js'
import type { UpstreamCompute } from './upstream-compute.js'

/** Sends a request and resolves to its response's bytes. */
type Ask = (method: string, options: { params?: object }) => Promise<Uint8Array>

export interface ListReading {
  readonly items: readonly ListItem[]
  /** What the first page had beside them. */
  readonly members: readonly ListMember[]
  /** Entries without a usable name. */
  readonly dropped: number
  /** Why it may be incomplete. */
  readonly warning: string | undefined
}

const METHOD_OF: Readonly<Record<ListKind, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
}

const MAX_ITEMS = 10_000
const MAX_EMPTY_PAGES = 3

/** @throws UPSTREAM_PROTOCOL if the server refuses or sends no list, or what ended the connection */
export async function readList(ask: Ask, kind: ListKind, compute: UpstreamCompute): Promise<ListReading> {
  const items = new Map<string, ListItem>()
  const cursors = new Set<string>()
  let dropped = 0
  let emptyPages = 0
  let members: readonly ListMember[] | undefined
  let cursor: string | undefined
  const ended = (warning?: string): ListReading => ({ items: [...items.values()], members: members ?? [], dropped, warning })
  for (;;) {
    const page = await readPage(ask, kind, { cursor, compute })
    members ??= page.members
    dropped += page.dropped
    for (const item of page.items) {
      if (items.size === MAX_ITEMS) return ended(`more than ${MAX_ITEMS} entries; the rest is left out`)
      if (!items.has(item.key)) items.set(item.key, item)
    }
    cursor = page.nextCursor
    if (cursor === undefined) return ended()
    if (cursors.has(cursor)) return ended('a cursor came twice; what follows is left out')
    cursors.add(cursor)
    emptyPages = page.items.length === 0 ? emptyPages + 1 : 0
    if (emptyPages === MAX_EMPTY_PAGES) return ended(`${MAX_EMPTY_PAGES} empty pages in a row; what follows is left out`)
  }
}

// --- internal ---

const NO_PAGE: ListPage = { items: [], members: [], dropped: 0 }

async function readPage(
  ask: Ask,
  kind: ListKind,
  { cursor, compute }: { cursor: string | undefined; compute: UpstreamCompute },
): Promise<ListPage> {
  const method = METHOD_OF[kind]
  const frame = await ask(method, cursor === undefined ? {} : { params: { cursor } })
  if (frame.length > LARGE_FRAME) return compute.readList(frame, kind)
  const error = errorOf(frame)
  if (!error) return readListPage(frame, kind)
  // Many servers have resources and know nothing of templates.
  if (kind === 'resourceTemplates' && error.code === RPC.methodNotFound) return NO_PAGE
  throw new SluiceError('UPSTREAM_PROTOCOL', `refused "${method}": ${error.message} (${error.code})`)
}
