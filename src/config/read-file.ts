/** Reads a file of the user's; a reason that a person understands where that fails. */
import { readFileSync } from 'node:fs'
import { messageOf, SluiceError } from '../base/errors.js'

/** @throws CONFIG_MISSING */
export function readRequired(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (cause) {
    const reason = REASONS.get(codeOf(cause)) ?? `cannot be read: ${messageOf(cause)}`
    throw new SluiceError('CONFIG_MISSING', `${file} ${reason}`, { cause })
  }
}

/** Undefined where there is none. Throws CONFIG_MISSING for one that is there and cannot be read. */
export function readIfThere(file: string): Uint8Array | undefined {
  try {
    return readRequired(file)
  } catch (error) {
    if (NOT_THERE.has(codeOf((error as SluiceError).cause))) return undefined
    throw error
  }
}

// --- internal ---

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR'])

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist: a part of its path is a file'],
  ['EISDIR', 'is a folder; name the file in it'],
  ['EACCES', 'cannot be read: permission denied'],
])

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? ''
}
