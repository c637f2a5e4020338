/** Vectors of catalogs kept on disk, so that a tool is embedded once on this machine: a file for each content and model. */
import { createHash } from 'node:crypto'
import { readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { machineKey } from '../base/machine-key.js'
import { pruneFiles } from '../base/prune-files.js'
import { seal, unseal } from '../base/seal.js'
import { writeOwnFile } from '../base/write-own-file.js'

/** What the vectors are of. */
export interface VectorFile {
  readonly dataDir: string
  /** {@link vectorFileName} */
  readonly name: string
}

/** The same for the same texts and model only. */
export function vectorFileName(modelDigest: string, texts: readonly string[]): string {
  const hash = createHash('sha256').update(modelDigest)
  for (const text of texts) hash.update(`\n${text.length}\n`).update(text)
  return hash.digest('hex')
}

/** The numbers that were kept, `length` of them; undefined where there are none, or none that this machine wrote. */
export async function loadVectors({ dataDir, name }: VectorFile, length: number): Promise<Float32Array | undefined> {
  try {
    const file = join(folderIn(dataDir), name)
    const content = unseal(await machineKey(dataDir), { name, version: VERSION }, await readFile(file))?.content
    if (content?.length !== length * Float32Array.BYTES_PER_ELEMENT) return undefined
    const now = new Date()
    await utimes(file, now, now)
    return new Float32Array(new Uint8Array(content).buffer)
  } catch {
    return undefined // they are made anew
  }
}

/** Never rejects: where nothing can be written nothing is kept. */
export async function keepVectors({ dataDir, name }: VectorFile, values: Float32Array): Promise<void> {
  const content = Buffer.from(values.buffer, values.byteOffset, values.byteLength)
  try {
    const { bytes } = seal(await machineKey(dataDir), { name, version: VERSION }, content)
    await writeOwnFile(folderIn(dataDir), name, bytes)
    await pruneFiles(folderIn(dataDir), { maxAgeMs: UNUSED_MS, maxFiles: MAX_FILES })
  } catch {
    return
  }
}

// --- internal ---

const VERSION = 1
const MAX_FILES = 300
const UNUSED_MS = 90 * 24 * 60 * 60 * 1000

function folderIn(dataDir: string): string {
  return join(dataDir, 'vectors')
}
