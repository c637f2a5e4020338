/** What was prepared kept on disk, so that the next start need not count it again: a file for each content, sealed with this machine's key. */
import { join } from 'node:path'
import { machineKey } from '../base/machine-key.js'
import { SealedFiles } from '../base/sealed-files.js'
import type { PreparedServer } from '../protocol/catalog-api.js'
import type { PreparedFile } from '../protocol/compute-api.js'
import { sharedText } from './shared-text.js'

/** Undefined where there is none, or none that this machine wrote. Never rejects. */
export async function loadPrepared({ dataDir, name }: PreparedFile): Promise<PreparedServer | undefined> {
  const files = filesIn(dataDir)
  try {
    const sealed = await files.read(name)
    if (typeof sealed === 'string') return undefined
    // A folder that only lets us read is no fault here.
    await files.touch(name).catch(() => undefined)
    const { docs, ...prepared } = JSON.parse(sealed.content) as Kept
    return { ...prepared, docs: sharedText(docs) }
  } catch {
    return undefined // it is prepared anew, which costs time alone
  }
}

/** Replaces what is there. Never rejects: where nothing can be written, which the cache of catalogs tells, nothing is kept. */
export async function keepPrepared({ dataDir, name }: PreparedFile, prepared: PreparedServer): Promise<void> {
  const files = filesIn(dataDir)
  const kept: Kept = { ...prepared, docs: Buffer.from(prepared.docs.buffer).toString('utf8') }
  try {
    await files.write(name, await files.seal(name, JSON.stringify(kept)))
    if (PRUNES.test(name)) await files.prune()
  } catch {
    return
  }
}

// --- internal ---

/** To be raised when the shape of {@link Kept} changes, or the same content comes out otherwise within one version of the package. */
const VERSION = 1
const MAX_FILES = 500
const UNUSED_MS = 90 * 24 * 60 * 60 * 1000
/** One name in 16: a job knows of no other, and names are as good as drawn by lot. */
const PRUNES = /^0/

/** Documents as text: what is only passed on is not parsed. */
type Kept = Omit<PreparedServer, 'docs'> & { readonly docs: string }

function filesIn(dataDir: string): SealedFiles {
  return new SealedFiles({
    folder: join(dataDir, 'prepared'),
    version: VERSION,
    key: () => machineKey(dataDir),
    limits: { maxAgeMs: UNUSED_MS, maxFiles: MAX_FILES },
  })
}
