/** A secret of this machine: what is named or signed with it tells nobody else anything. */
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeOwnFolder } from './own-folder.js'

/**
 * The 32 bytes kept in a folder of ours, which are made at first use, readable by their owner alone. Processes that make them at the
 * same time all get the same. Rejects with the file system's error where there are none and none can be made.
 */
export async function machineKey(folder: string): Promise<Uint8Array> {
  const file = fileIn(folder)
  const known = await readKey(file)
  if (known) return known
  makeOwnFolder(folder)
  await makeKey(file)
  const made = await readKey(file)
  if (!made) throw new Error(`${file} is not there although it was written`)
  return made
}

/** The bytes that {@link machineKey} has made, read at once; undefined where there are none. Throws the file system's error. */
export function knownMachineKey(folder: string): Uint8Array | undefined {
  try {
    const bytes = readFileSync(fileIn(folder))
    return bytes.length === KEY_BYTES ? bytes : undefined
  } catch (error) {
    return absent(error as NodeJS.ErrnoException)
  }
}

// --- internal ---

const KEY_BYTES = 32

function fileIn(folder: string): string {
  return join(folder, 'machine.key')
}

/** Undefined where there is none, or a broken one, which is taken away. */
async function readKey(file: string): Promise<Uint8Array | undefined> {
  const bytes = await readFile(file).catch(absent)
  if (bytes === undefined || bytes.length === KEY_BYTES) return bytes
  await rm(file, { force: true })
  return undefined
}

async function makeKey(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' })
    // Unlike a renaming, a link never takes the place of the key that another process has made. Not every file system has links.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? undefined : rename(draft, file)))
  } finally {
    await rm(draft, { force: true })
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
