/** Keeps a folder of files that are found by name from growing for ever. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface PruneLimits {
  /** Since the file's time, which is that of its last use. */
  readonly maxAgeMs: number
  /** The most recently used are kept. */
  readonly maxFiles: number
}

/** Removes what is unused or too much. Files that go away at the same time are nobody's fault. */
export async function pruneFiles(folder: string, { maxAgeMs, maxFiles }: PruneLimits): Promise<void> {
  const oldest = Date.now() - maxAgeMs
  const files = await Promise.all((await readdir(folder)).map((name) => usedAt(join(folder, name))))
  files.sort((a, b) => b.at - a.at)
  const unused = files.filter(({ at }, place) => at < oldest || place >= maxFiles)
  await Promise.all(unused.map(({ file }) => rm(file, { force: true })))
}

// --- internal ---

async function usedAt(file: string): Promise<{ file: string; at: number }> {
  const at = await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
  return { file, at }
}
