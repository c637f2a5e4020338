/** Which files of project folders the user trusts: their hashes by path, in `trust.json` of the data folder. */
import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeOwnFolder } from '../base/own-folder.js'
import { isRecord } from './option-schema.js'

/** `changed`: trusted once, but its content is another one now. */
export type Trust = 'trusted' | 'new' | 'changed'

/** A file by its absolute path, with the very bytes that are about to be used. */
export interface TrustedFile {
  readonly path: string
  readonly bytes: Uint8Array
}

export function trustOf(file: TrustedFile, dataDir: string): Trust {
  const known = readHashes(dataDir).get(file.path)
  if (known === undefined) return 'new'
  return known === hashOf(file) ? 'trusted' : 'changed'
}

/** Remembers the file's content. The list is replaced in one step, readable by its owner alone. */
export function rememberTrust(file: TrustedFile, dataDir: string): void {
  makeOwnFolder(dataDir)
  chmodSync(dataDir, 0o700)
  const hashes = new Map(readHashes(dataDir)).set(file.path, hashOf(file))
  const draft = `${listPath(dataDir)}.${randomUUID()}`
  try {
    writeFileSync(draft, `${JSON.stringify({ files: Object.fromEntries(hashes) }, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, listPath(dataDir))
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

// --- internal ---

function listPath(dataDir: string): string {
  return path.join(dataDir, 'trust.json')
}

/** A list that is missing or broken trusts nothing. */
function readHashes(dataDir: string): ReadonlyMap<string, string> {
  try {
    const list: unknown = JSON.parse(readFileSync(listPath(dataDir), 'utf8'))
    const files = isRecord(list) && isRecord(list['files']) ? list['files'] : {}
    return new Map(Object.entries(files).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch {
    return new Map()
  }
}

function hashOf({ bytes }: TrustedFile): string {
  return createHash('sha256').update(bytes).digest('hex')
}
