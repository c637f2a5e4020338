/** Writing a file for its owner's eyes alone, all of it or nothing. */
import { randomUUID } from 'node:crypto'
import { chmod, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeOwnFolder } from './own-folder.js'

/**
 * A reader finds the file as it was before, or all of the new one. Makes the folder, and makes it its owner's. Rejects with the file
 * system's error.
 */
export async function writeOwnFile(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  makeOwnFolder(folder)
  await chmod(folder, 0o700)
  const draft = join(folder, `${name}.${randomUUID()}`)
  try {
    await writeFile(draft, bytes, { mode: 0o600, flag: 'wx' })
    await rename(draft, join(folder, name))
  } finally {
    await rm(draft, { force: true })
  }
}
