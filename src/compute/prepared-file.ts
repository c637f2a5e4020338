/** What was prepared kept on disk, so that no later start counts it again: a file for each content, sealed with this machine's key. */
import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { knownMachineKey, machineKey } from '../base/machine-key.js'
import { pruneFiles } from '../base/prune-files.js'
import { seal, unseal } from '../base/seal.js'
import { writeOwnFile } from '../base/write-own-file.js'
import type { PreparedServer } from '../protocol/catalog-api.js'
import type { PreparedFile } from '../protocol/compute-api.js'

/**
 * Undefined where there is none, or none that this machine wrote; no matter why, it is then prepared anew. Reads at once: a thread of
 * the pool has nothing else to do, and all servers' files take half the time so.
 */
export function loadPrepared({ dataDir, name }: PreparedFile): PreparedServer | undefined {
  try {
    const key = knownMachineKey(dataDir)
    const file = join(folderIn(dataDir), fileOf(name))
    const content = key && unseal(key, { name, version: VERSION }, readFileSync(file))?.content
    if (!content) return undefined
    touch(file)
    return parse(content)
  } catch {
    return undefined
  }
}

/** Replaces what is there. Never rejects: where nothing can be written, which the cache of catalogs tells, nothing is kept. */
export async function keepPrepared({ dataDir, name }: PreparedFile, prepared: PreparedServer): Promise<void> {
  const folder = folderIn(dataDir)
  try {
    const { bytes } = seal(await machineKey(dataDir), { name, version: VERSION }, render(prepared))
    await writeOwnFile(folder, fileOf(name), bytes)
    if (PRUNES.test(name)) await pruneFiles(folder, { maxAgeMs: UNUSED_MS, maxFiles: MAX_FILES })
  } catch {
    return
  }
}

// --- internal ---

/** To be raised when what is kept changes its shape, or the same catalog comes out otherwise within one version of the package. */
const VERSION = 2
const MAX_FILES = 500
const UNUSED_MS = 90 * 24 * 60 * 60 * 1000
/** One name in 16: a job knows of no other, and names are as good as drawn by lot. */
const PRUNES = /^0/

function folderIn(dataDir: string): string {
  return join(dataDir, 'prepared')
}

function fileOf(name: string): string {
  return `${name}.json`
}

/** `[<bytes of the documents>,<documents>,<all else>]`: the documents, most of it, are only passed on and not parsed. */
function render({ docs, ...rest }: PreparedServer): Buffer {
  return Buffer.concat([Buffer.from(`[${docs.byteLength},`), docs, Buffer.from(`,${JSON.stringify(rest)}]`)])
}

function parse(content: Buffer): PreparedServer {
  const from = content.indexOf(',') + 1
  const to = from + Number(content.toString('latin1', 1, from - 1))
  const docs = new Uint8Array(new SharedArrayBuffer(to - from))
  docs.set(content.subarray(from, to))
  return { ...(JSON.parse(content.toString('utf8', to + 1, content.length - 1)) as Omit<PreparedServer, 'docs'>), docs }
}

/** So that it does not count as unused. A folder that only lets us read is no fault here. */
function touch(file: string): void {
  const now = new Date()
  try {
    utimesSync(file, now, now)
  } catch {
    return
  }
}
