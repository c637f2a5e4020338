/** Whether a file has changed, by looking now and then: the system's own watching misses what happens before it begins, and not every file system has it. */
import { stat } from 'node:fs/promises'

const LOOK_MS = 1000

/** Another text for every file that was ever there under this path; empty where there is none. */
export function fileVersion(path: string): Promise<string> {
  return stat(path).then(
    ({ ino, mtimeMs, size }) => [ino, mtimeMs, size].join(),
    () => '',
  )
}

/** Calls `changed` within a second or two of each change since `version`, until the function that comes back is called. Keeps no process alive. */
export function watchFile(path: string, version: string, changed: () => void): () => void {
  let known = version
  let isOver = false
  const look = async () => {
    const found = await fileVersion(path)
    if (isOver || found === known) return
    known = found
    changed()
  }
  const timer = setInterval(() => void look(), LOOK_MS).unref()
  return () => {
    isOver = true
    clearInterval(timer)
  }
}
