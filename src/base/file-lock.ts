/** One at a time over all processes of this machine, by a lock beside a file. */
import { dirname } from 'node:path'
import { makeOwnFolder } from './own-folder.js'

/**
 * Runs `task` while nobody else holds the lock of `file`, which need not exist. A lock whose process died is taken over after 10 s.
 * Rejects as `task` does, or with the file system's error; with code ELOCKED when the lock was not to be had within some 30 s.
 */
export async function withFileLock<T>(file: string, task: () => Promise<T>): Promise<T> {
  const { lock } = await import('proper-lockfile')
  makeOwnFolder(dirname(file))
  const release = await lock(file, { realpath: false, retries: RETRIES, onCompromised: () => undefined })
  try {
    return await task()
  } finally {
    // What was taken over meanwhile is not ours to give back.
    await release().catch(() => undefined)
  }
}

// --- internal ---

const RETRIES = { retries: 150, factor: 1.3, minTimeout: 10, maxTimeout: 250, randomize: true }
