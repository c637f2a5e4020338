/** Where the databases of sleeping sessions lie: a folder of this process for its owner's eyes, made at need and gone at the end. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface SleepFolder {
  /** A path at which there is no file. Makes the folder. */
  newFile(): Promise<string>
  removeFile(file: string): Promise<void>
  /** Removes the folder and all in it. Idempotent. */
  remove(): Promise<void>
}

/** @param parent made at need; folders in it of processes that are gone are removed */
export function createSleepFolder(parent: string): SleepFolder {
  let made: Promise<string> | undefined
  let files = 0
  const make = async () => {
    await mkdir(parent, { recursive: true, mode: 0o700 })
    await sweep(parent)
    return mkdtemp(join(parent, `${PREFIX}${process.pid}-`)) // 0700 by itself
  }
  return {
    async newFile() {
      made ??= make()
      made.catch(() => {
        made = undefined // the next one tries again
      })
      return join(await made, `${++files}.db`)
    },
    removeFile: (file) => rm(file, { force: true }),
    async remove() {
      const folder = await made?.catch(() => undefined) // told to the one who asked for a file
      made = undefined
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

// --- internal ---

const PREFIX = 'sleeping-'
const OF_PROCESS = /^sleeping-(\d+)-/

/** What a process that was killed has left behind. */
async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(OF_PROCESS.exec(name)?.[1])
    if (pid > 0 && pid !== process.pid && !isRunning(pid)) await rm(join(parent, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
