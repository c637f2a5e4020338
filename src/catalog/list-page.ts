/** Reads one page of a list off the response's bytes, so that each entry keeps the very text its server sent. */
import { SluiceError } from '../base/errors.js'
import type { ListItem, ListKind, ListMember, ListPage } from '../protocol/compute-api.js'
import { elementsOf, findMember, findPath, membersOf, textOf } from '../protocol/json-spans.js'
import { asRecord } from '../protocol/messages.js'

/** The member that names an entry of each kind of list. */
const KEY_OF: Readonly<Record<ListKind, string>> = {
  tools: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
  prompts: 'name',
}

/**
 * The entries of a successful list response, in order; of two with the same key the first.
 * @throws UPSTREAM_PROTOCOL if the result has no such list
 */
export function readListPage(frame: Uint8Array, kind: ListKind): ListPage {
  const result = findPath(frame, ['result'])
  const list = result && findMember(frame, result.start, kind)
  if (!result || !list || frame[list.start] !== OPEN_BRACKET) {
    throw new SluiceError('UPSTREAM_PROTOCOL', `answered without a list of ${kind}`)
  }
  const items = new Map<string, ListItem>()
  let dropped = 0
  for (const span of elementsOf(frame, list.start)) {
    const json = textOf(frame, span)
    const key = asRecord(parsed(json))?.[KEY_OF[kind]]
    if (typeof key !== 'string' || key === '') dropped++
    else if (!items.has(key)) items.set(key, { key, json })
  }
  const members = new Map<string, ListMember>()
  for (const { key, value } of membersOf(frame, result.start)) members.set(key, { key, json: textOf(frame, value) })
  const nextCursor = parsed(members.get('nextCursor')?.json ?? 'null')
  for (const known of [kind, 'nextCursor']) members.delete(known)
  const more = typeof nextCursor === 'string' && nextCursor !== ''
  return { items: [...items.values()], members: [...members.values()], dropped, ...(more && { nextCursor }) }
}

// --- internal ---

const OPEN_BRACKET = 0x5b

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
