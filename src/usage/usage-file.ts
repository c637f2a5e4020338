/** The file in which all processes of a user learn from use: opened for one task, and closed again. Runs in the compute pool only. */
import { chmodSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { messageOf, SluiceError } from '../base/errors.js'
import { makeOwnFolder } from '../base/own-folder.js'
import type { ToolUse, UsageNotice, UsageReading, UsageRecording } from '../protocol/usage-api.js'
import { addUses, createTables, readScores, tablesState, versionOf } from './usage-tables.js'

/**
 * Adds uses to the file, all or none; makes it (0600) and its folder (0700) where they are missing. A broken or foreign file is
 * renamed and a new one begun. USAGE_FILE if that cannot be done, or others keep it locked for 10 s.
 */
export function recordUses({ file, uses }: { file: string; uses: readonly ToolUse[] }, nowMs = Date.now()): UsageRecording {
  if (uses.length === 0) return {}
  return reporting(file, () => {
    makeOwnFolder(path.dirname(file))
    const { notice } = inTransaction(file, 'immediate', (db, isNew) => {
      if (isNew) createTables(db)
      addUses(db, uses, nowMs)
    })
    return { ...(notice && { notice }) }
  })
}

/** All that was learned; nothing where there is no file, or where it was broken and is set aside. USAGE_FILE if it cannot be read. */
export function readUsage({ file }: { file: string }): UsageReading {
  return reporting(file, () => {
    if (!idOf(file)) return { scores: [], pairs: [] }
    const { done, notice } = inTransaction(file, 'deferred', (db, isNew) => (isNew ? undefined : readScores(db)))
    return { scores: [], pairs: [], ...done, ...(notice && { notice }) }
  })
}

// --- internal ---

/** How long one process waits for others that write. */
const BUSY_MS = 10_000

/**
 * SQLite waits longer from try to try, up to 100 ms, so that who waits longest finds the gaps least: of four processes that
 * recorded without a pause one starved for 5 s. Waits that begin anew give every process the same chance.
 */
const TURN_MS = 50

/** What SQLite says of files that it cannot use. SQLITE_ERROR: our statements never change, so the tables are not ours. */
const BROKEN = /^SQLITE_(?:NOTADB|CORRUPT|ERROR)/

type Work<T> = (db: Database.Database, isNew: boolean) => T

type Attempt<T> =
  | { readonly state: 'done'; readonly done: T }
  | { readonly state: 'newer'; readonly version: number }
  | { readonly state: 'broken'; readonly why: string }

function inTransaction<T>(file: string, kind: 'immediate' | 'deferred', work: Work<T>): { done?: T; notice?: UsageNotice } {
  const id = idOf(file)
  const first = inTurn(() => attempt(file, kind, work))
  if (first.state === 'done') return first
  if (first.state === 'newer') return { notice: { kind: 'newer', version: first.version } }
  const to = inTurn(() => setAside(file, id))
  const second = inTurn(() => attempt(file, kind, work))
  if (second.state !== 'done') throw new SluiceError('USAGE_FILE', `${file}: ${first.why}`)
  return { done: second.done, ...(to && { notice: { kind: 'set-aside', to, why: first.why } }) }
}

/**
 * SQLite's rollback journal, not WAL. Where four processes record without a pause, WAL is up to four times as fast on a busy disk;
 * but people call tools seconds apart, and the journal leaves one file, which can be read in a folder that cannot be written, and
 * lives on network drives.
 */
function attempt<T>(file: string, kind: 'immediate' | 'deferred', work: Work<T>): Attempt<T> {
  const db = new Database(file, { timeout: TURN_MS })
  try {
    if (kind === 'immediate') makePrivate(file)
    return db
      .transaction((): Attempt<T> => {
        const state = tablesState(db)
        if (state === 'newer') return { state, version: versionOf(db) }
        if (state === 'foreign') return { state: 'broken', why: 'it holds tables of something else' }
        return { state: 'done', done: work(db, state === 'empty') }
      })
      [kind]()
  } catch (thrown) {
    if (thrown instanceof Database.SqliteError && BROKEN.test(thrown.code)) return { state: 'broken', why: thrown.message }
    throw thrown
  } finally {
    db.close()
  }
}

/** Tries again while other processes have the file locked. */
function inTurn<T>(work: () => T): T {
  const deadline = performance.now() + BUSY_MS
  for (;;) {
    try {
      return work()
    } catch (thrown) {
      const isBusy = thrown instanceof Database.SqliteError && thrown.code.startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() > deadline) throw thrown
    }
  }
}

/** By its path: opening and closing it by node:fs would end SQLite's locks on it in all threads. Its journal gets the same rights. */
function makePrivate(file: string): void {
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
}

/**
 * Renames the file if it is still the one with this id; undefined if another process was first. Only who holds the lock renames,
 * so a good file, begun by another process in the meantime, is never taken for the broken one.
 */
function setAside(file: string, id: bigint | undefined): string | undefined {
  const lock = new Database(`${file}.lock`, { timeout: TURN_MS }) // stays, empty: removing it would let two hold it
  try {
    return lock
      .transaction(() => {
        if (id === undefined || idOf(file) !== id) return undefined
        const to = `${file}.broken-${new Date().toISOString().replaceAll(':', '-')}`
        // The journal first: SQLite would play it back into the next file of that name.
        for (const suffix of ['-journal', '-wal', '-shm', '']) if (idOf(file + suffix)) renameSync(file + suffix, to + suffix)
        return to
      })
      .exclusive()
  } finally {
    lock.close()
  }
}

/** What tells this file from another of the same name; undefined if there is none. */
function idOf(file: string): bigint | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (found && !found.isFile()) throw new SluiceError('USAGE_FILE', `${file} is not a file`)
  return found?.ino
}

function reporting<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof SluiceError) throw thrown
    throw new SluiceError('USAGE_FILE', `${file}: ${messageOf(thrown)}`, { cause: thrown })
  }
}
