/** Undoes what {@link carryOut} has done to a client's file. */
import { realpathSync, rmSync } from 'node:fs'
import type { Environment } from '../environment.js'
import type { AddedMember } from '../json-members.js'
import { readIfThere, readRequired } from '../read-file.js'
import { replaceFile } from '../replace-file.js'
import type { Client, ClientFile } from './client.js'
import { editClientFile, LIST_FORMATS } from './edit-client-file.js'
import { isSluice } from './own-entry.js'
import { parseClientFile } from './read-client-file.js'
import { contentHash, readWirings, type WiringStep, writeWiring } from './wiring-record.js'

export interface Unwiring {
  readonly file: ClientFile
  /**
   * `restored`: byte for byte as it was; `removed`: there was no file; `edited`: it was edited since, so our entry was taken out and
   * the servers were put back.
   */
  readonly change: 'none' | 'restored' | 'removed' | 'edited'
  /** Names of the servers that are back. */
  readonly back: readonly string[]
}

/** @throws CONFIG_MISSING where the backup is gone; CONFIG_SYNTAX, CONFIG_INVALID, FILE_BUSY, FILE_WRITE */
export function unwire(client: Client, { dataDir, ...places }: Environment): Unwiring {
  const [file] = client.files(places)
  const wiring = readWirings(dataDir).get(file.path)
  if (wiring === undefined) return { file, change: 'none', back: [] }
  const bytes = readIfThere(file.path)
  const [step, ...later] = wiring.steps
  const isAsWritten = bytes !== undefined && contentHash(bytes) === wiring.written
  const undone =
    isAsWritten && step !== undefined && later.length === 0 ? restore(file, bytes, step) : takeOut(file, bytes, wiring.steps)
  writeWiring(dataDir, file.path, undefined)
  return undone
}

// --- internal ---

/** The backup goes, since the file is the same again. */
function restore(file: ClientFile, bytes: Uint8Array, { backup, moved }: WiringStep): Unwiring {
  if (backup === undefined) {
    rmSync(realpathSync(file.path))
    return { file, change: 'removed', back: [] }
  }
  replaceFile(file.path, bytes, readRequired(backup))
  rmSync(backup)
  return { file, change: 'restored', back: moved }
}

function takeOut(file: ClientFile, bytes: Uint8Array | undefined, steps: readonly WiringStep[]): Unwiring {
  const read = parseClientFile(file, bytes ?? new Uint8Array())
  const remove = [...read.entries].flatMap(([name, entry]) => (isSluice(entry) ? [name] : []))
  const add = new Map<string, AddedMember>()
  for (const server of steps.flatMap((step) => movedServers(file, step))) {
    const isFree = !read.entries.has(server.name) || remove.includes(server.name)
    if (isFree) add.set(server.name, server)
  }
  const after = editClientFile(read, { remove, add: [...add.values()] })
  if (after !== read.bytes) replaceFile(file.path, bytes, after)
  return { file, change: after === read.bytes ? 'none' : 'edited', back: [...add.keys()] }
}

/** As they stood in the file before. */
function movedServers(file: ClientFile, { backup, moved }: WiringStep): AddedMember[] {
  if (backup === undefined || moved.length === 0) return []
  const { text, entries } = parseClientFile(file, readRequired(backup))
  return moved.map((name) => ({
    name,
    value: (entries.get(name) ?? {}) as Record<string, unknown>,
    text: LIST_FORMATS[file.format].textOf(text, file.list, name),
  }))
}
