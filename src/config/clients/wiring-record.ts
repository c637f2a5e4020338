/** What `sluice init` has done to clients' files, so that it can be undone: `init.json` of the data folder. */
import { createHash } from 'node:crypto'
import path from 'node:path'
import * as z from 'zod'
import { readIfThere } from '../read-file.js'
import { replaceFile } from '../replace-file.js'

/** One change of a client's file. */
export interface WiringStep {
  /** The file as it was before; undefined: there was none. */
  readonly backup?: string | undefined
  /** The servers that were taken out of it. */
  readonly moved: readonly string[]
}

export interface Wiring {
  /** Hash of the content that was written last. */
  readonly written: string
  /** The name of Sluice's entry. */
  readonly entry: string
  /** In their order; more than one where the file was edited between two of them. */
  readonly steps: readonly WiringStep[]
}

export function contentHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** By the path of the client's file. A record that is missing or broken holds nothing. */
export function readWirings(dataDir: string): ReadonlyMap<string, Wiring> {
  const bytes = readIfThere(recordPath(dataDir))
  if (bytes === undefined) return new Map()
  try {
    return new Map(Object.entries(recordSchema.parse(JSON.parse(new TextDecoder().decode(bytes))).files))
  } catch {
    return new Map()
  }
}

/** @param wiring undefined: nothing is to be undone any more. @throws FILE_BUSY, FILE_WRITE */
export function writeWiring(dataDir: string, file: string, wiring: Wiring | undefined): void {
  const before = readIfThere(recordPath(dataDir))
  const files = new Map(readWirings(dataDir))
  if (wiring === undefined) files.delete(file)
  else files.set(file, wiring)
  const text = `${JSON.stringify({ files: Object.fromEntries(files) }, null, 2)}\n`
  replaceFile(recordPath(dataDir), before, Buffer.from(text))
}

// --- internal ---

const recordSchema = z.object({
  files: z.record(
    z.string(),
    z.object({
      written: z.string(),
      entry: z.string(),
      steps: z.array(z.object({ backup: z.string().optional(), moved: z.array(z.string()) })),
    }),
  ),
})

function recordPath(dataDir: string): string {
  return path.join(dataDir, 'init.json')
}
