/** An edit of a client's file, checked: what comes out holds just what was meant, or nothing is written. */
import { SluiceError } from '../../base/errors.js'
import { encodeText } from '../document.js'
import { editMembers, type MemberEdit, memberText } from '../json-members.js'
import { isRecord } from '../option-schema.js'
import { parseClientFile, type ReadClientFile } from './read-client-file.js'
import type { ServerListFormat } from './server-list.js'
import { tomlList } from './toml-list.js'

export const LIST_FORMATS: Readonly<Record<'json' | 'toml', ServerListFormat>> = {
  json: { edit: editMembers, textOf: memberText },
  toml: tomlList,
}

/**
 * The file's new bytes, in its own encoding; the old ones where nothing changes.
 * @throws CONFIG_INVALID for a file that cannot be edited with certainty, such as one with the list in it twice
 */
export function editClientFile(read: ReadClientFile, edit: MemberEdit): Uint8Array {
  const { file, text, bytes } = read
  const edited = LIST_FORMATS[file.format].edit(text, file.list, edit)
  if (edited === text) return bytes
  const after = encodeText(edited, bytes)
  const wanted = new Map([...read.entries].filter(([name]) => !edit.remove.includes(name)))
  for (const { name, value } of edit.add) wanted.set(name, value)
  if (!holds(parseClientFile(file, after), wanted, read)) {
    throw new SluiceError('CONFIG_INVALID', `${file.path} cannot be edited: a key stands in it twice, or in an unusual form`)
  }
  return after
}

// --- internal ---

/** The wanted entries, whatever their order, and around them what was there. */
function holds(after: ReadClientFile, wanted: ReadonlyMap<string, unknown>, before: ReadClientFile): boolean {
  const { entries, file } = after
  const same = [...wanted].every(([name, value]) => entries.has(name) && printed(entries.get(name)) === printed(value))
  return (
    same &&
    entries.size === wanted.size &&
    printed(without(after.value, file.list)) === printed(without(before.value, file.list))
  )
}

function without(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (!isRecord(value) || key === undefined) return value
  const others = Object.entries(value).filter(([name]) => name !== key)
  if (rest.length === 0) return others
  // A list that was made brings the objects around it.
  const inner = without(value[key] ?? {}, rest)
  return [...others, ...(Array.isArray(inner) && inner.length === 0 ? [] : [[key, inner]])]
}

function printed(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part)) ?? ''
}
