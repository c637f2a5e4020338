import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readUsage, recordUses } from '../../src/usage/usage-file.js'
import { startRecorder, usageFolder } from '../support/usage.js'

const NOW = Date.UTC(2026, 10, 30)
const uses = [{ server: 'github', tool: 'search', atMs: NOW }]
const learned = { scores: [{ server: 'github', tool: 'search', score: 1 }], pairs: [] }

describe('a usage file that cannot be used', () => {
  let place: ReturnType<typeof usageFolder>
  beforeEach(() => {
    place = usageFolder()
  })
  afterEach(() => place.remove())

  const breakages: [string, (file: string) => void][] = [
    ['garbage', (file) => writeFileSync(file, 'no database at all\n'.repeat(500))],
    [
      'a file cut short',
      (file) => {
        const many = Array.from({ length: 3_000 }, (_, i) => ({ server: 's', tool: `tool-${i}`, atMs: NOW }))
        recordUses({ file, uses: many })
        truncateSync(file, 20_000)
      },
    ],
    [
      'overwritten pages',
      (file) => {
        const many = Array.from({ length: 3_000 }, (_, i) => ({ server: 's', tool: `tool-${i}`, atMs: NOW }))
        recordUses({ file, uses: many })
        const bytes = readFileSync(file)
        bytes.fill(0xa5, 4_096)
        writeFileSync(file, bytes)
      },
    ],
    ['the tables of something else', (file) => withDatabase(file, 'CREATE TABLE bookmark (url TEXT)')],
    [
      'our mark without our tables',
      (file) => {
        recordUses({ file, uses })
        withDatabase(file, 'DROP TABLE pair')
      },
    ],
  ]

  it.each(breakages)('is set aside by a read, and learning starts anew: %s', (_what, make) => {
    const { file, folder } = place
    make(file)
    const before = readFileSync(file)
    const { notice, ...scores } = readUsage({ file })
    expect(scores).toEqual({ scores: [], pairs: [] })
    expect(notice).toMatchObject({ kind: 'set-aside', why: expect.stringMatching(/\w/) })
    const to = notice?.kind === 'set-aside' ? notice.to : ''
    expect(path.basename(to)).toMatch(/^usage\.db\.broken-\d{4}-\d\d-\d\dT/)
    expect(readFileSync(to).equals(before)).toBe(true)
    expect(recordUses({ file, uses })).toEqual({})
    expect(readUsage({ file })).toEqual(learned)
    expect(readdirSync(folder).filter((name) => name.includes('broken'))).toHaveLength(1)
  })

  it.each(breakages)('is set aside by a recording, which goes into the new file: %s', (_what, make) => {
    const { file } = place
    make(file)
    expect(recordUses({ file, uses })).toMatchObject({ notice: { kind: 'set-aside' } })
    expect(readUsage({ file })).toEqual(learned)
  })

  it.each(['-journal', '-wal', '-shm'])('leaves no %s of it beside the new file', (suffix) => {
    const { file, folder } = place
    writeFileSync(file, 'garbage'.repeat(1_000))
    writeFileSync(file + suffix, 'stale'.repeat(1_000))
    recordUses({ file, uses })
    expect(readUsage({ file })).toEqual(learned)
    expect(readdirSync(folder).filter((name) => name.startsWith('usage.db-'))).toEqual([])
  })

  it('counts as empty when it has no bytes', () => {
    const { file } = place
    writeFileSync(file, '')
    expect(readUsage({ file })).toEqual({ scores: [], pairs: [] })
    expect(recordUses({ file, uses })).toEqual({})
    expect(readUsage({ file })).toEqual(learned)
  })

  it('is left alone when a newer version wrote it', () => {
    const { file, folder } = place
    recordUses({ file, uses })
    withDatabase(file, 'DROP TABLE pair; CREATE TABLE chain (of TEXT); PRAGMA user_version = 7')
    const before = readFileSync(file)
    const notice = { kind: 'newer', version: 7 }
    expect(readUsage({ file })).toEqual({ scores: [], pairs: [], notice })
    expect(recordUses({ file, uses })).toEqual({ notice })
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(readdirSync(folder)).toEqual(['usage.db'])
  })

  it('gives USAGE_FILE and touches nothing where it is no file, or its folder none', () => {
    const { folder } = place
    const inFile = path.join(folder, 'plain', 'usage.db')
    writeFileSync(path.dirname(inFile), 'text')
    const directory = path.join(folder, 'directory')
    mkdirSync(directory)
    for (const file of [inFile, directory, '/dev/null']) {
      expect(() => recordUses({ file, uses })).toThrow(expect.objectContaining({ name: 'SluiceError', code: 'USAGE_FILE' }))
    }
    expect(() => readUsage({ file: directory })).toThrow(expect.objectContaining({ code: 'USAGE_FILE' }))
    expect(readdirSync(folder).sort()).toEqual(['directory', 'plain'])
  })

  it('can be read, but gives USAGE_FILE to writers, in a folder that cannot be written', () => {
    const { file, folder } = place
    recordUses({ file, uses })
    asNobody(folder, [file], () => {
      expect(readUsage({ file })).toEqual(learned)
      expect(() => recordUses({ file, uses })).toThrow(expect.objectContaining({ code: 'USAGE_FILE' }))
      expect(() => recordUses({ file: path.join(folder, 'new.db'), uses })).toThrow(
        expect.objectContaining({ code: 'USAGE_FILE' }),
      )
    })
    expect(readUsage({ file })).toEqual(learned)
  })

  it('gives USAGE_FILE when the disk is full, and keeps what it had', async () => {
    const { file } = place
    const recorder = await startRecorder(file, { server: 's', batches: 1_000, size: 20 }, 24_576)
    const { recorded, error } = await recorder.begin()
    expect(error).toBe('USAGE_FILE')
    expect(recorded).toBeGreaterThan(0)
    const all = readUsage({ file }).scores.find(({ tool }) => tool === 'all')
    expect(all?.score).toBeCloseTo(recorded, 6)
  })
})

function withDatabase(file: string, sql: string): void {
  const db = new Database(file)
  db.exec(sql)
  db.close()
}

/** Runs `work` without the right to write into `folder`; root has it always, so it becomes somebody else for that time. */
function asNobody(folder: string, files: readonly string[], work: () => void): void {
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const owned of [folder, ...files]) chownSync(owned, 65_534, 65_534)
  chmodSync(folder, 0o500)
  if (isRoot) process.seteuid?.(65_534)
  try {
    work()
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(folder, 0o700)
  }
}
