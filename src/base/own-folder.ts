/** Folders for their owner alone. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes the folder (0700) and those above it where they are missing. Throws the file system's error. Node's own recursive mkdir never
 * ends where a parent exists in which nothing can be made and that denies it with ENOENT, such as `/proc`.
 */
export function makeOwnFolder(folder: string): void {
  if (made(folder) === 'ENOENT') {
    makeOwnFolder(dirname(folder))
    const code = made(folder)
    if (code) throw Object.assign(new Error(`${code}: the folder ${folder} cannot be made`), { code })
  }
}

// --- internal ---

/** The code of a failure that a parent may explain; undefined when the folder is there. */
function made(folder: string): 'ENOENT' | undefined {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return undefined
    if (code === 'ENOENT' && dirname(folder) !== folder) return code
    throw error
  }
}
