/** Replaces a file of the user's in one step: its mode stays, and a symbolic link keeps pointing to it. */
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, readlinkSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { messageOf, SluiceError } from '../base/errors.js'
import { makeOwnFolder } from '../base/own-folder.js'
import { readIfThere } from './read-file.js'

/**
 * A reader finds the old content or all of the new one.
 * @param before what the new content was made from; undefined: there was no file
 * @throws FILE_BUSY where the file holds something else by now, FILE_WRITE
 */
export function replaceFile(file: string, before: Uint8Array | undefined, after: Uint8Array): void {
  const target = realPath(file)
  const draft = `${target}.${randomUUID()}`
  try {
    makeOwnFolder(path.dirname(target))
    const mode = before === undefined ? 0o600 : statSync(target).mode & 0o7777
    writeFileSync(draft, after, { mode: 0o600, flag: 'wx' })
    chmodSync(draft, mode)
    if (!isStill(target, before)) throw new SluiceError('FILE_BUSY', `${file} has changed meanwhile; nothing was written`)
    renameSync(draft, target)
  } catch (cause) {
    discard(draft)
    throw asWriteError(file, cause)
  }
}

/** A new file beside another one, with no more rights than that one has. @throws FILE_WRITE */
export function copyBeside(file: string, copy: string, bytes: Uint8Array): void {
  try {
    writeFileSync(copy, bytes, { mode: statSync(file).mode & 0o7777, flag: 'wx' })
  } catch (cause) {
    throw asWriteError(copy, cause)
  }
}

// --- internal ---

/** It may never have been made. */
function discard(draft: string): void {
  if (existsSync(draft)) rmSync(draft, { force: true })
}

function asWriteError(file: string, cause: unknown): SluiceError {
  if (cause instanceof SluiceError) return cause
  return new SluiceError('FILE_WRITE', `${file} cannot be written: ${messageOf(cause)}`, { cause })
}

/** What a link points to, which may be about to be made. */
function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return linkTarget(file)
  }
}

function linkTarget(file: string): string {
  try {
    return path.resolve(path.dirname(file), readlinkSync(file))
  } catch {
    return file // It is no link.
  }
}

function isStill(file: string, before: Uint8Array | undefined): boolean {
  const now = readIfThere(file)
  return now === undefined || before === undefined ? now === before : Buffer.compare(now, before) === 0
}
