/** Where a session's database is: in a private temporary file of SQLite's, or in a file in which an earlier one was laid down. */
import { closeSync, openSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { createCatalogTables } from './catalog-sql.js'
import { createTables, tune } from './sql.js'

export class DatabaseFile {
  readonly db: Database.Database
  readonly #file: string | undefined

  /** @param file where an earlier one was laid down; that becomes the database */
  constructor(file?: string) {
    this.#file = file
    this.db = new Database(file ?? '', { fileMustExist: file !== undefined })
    tune(this.db)
    if (file !== undefined) return
    createTables(this.db)
    createCatalogTables(this.db)
  }

  /** Writes all of it to a file for its owner's eyes alone, a part at a time. What was woken from that file is in it already. */
  async layDown(file: string): Promise<void> {
    if (file === this.#file) return
    closeSync(openSync(file, 'wx', 0o600))
    try {
      await this.db.backup(file)
    } catch (error) {
      rmSync(file, { force: true })
      throw error
    }
  }

  /** What it may keep of its file in memory. */
  limitCache(kibibytes: number): void {
    this.db.pragma(`cache_size = -${kibibytes}`)
  }

  /** What is done whole or not at all. */
  transaction<T>(work: () => T): T {
    return this.db.transaction(work)()
  }
}
