import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SluiceError } from '../../src/base/errors.js'
import type { AuditLine } from '../../src/protocol/audit-api.js'
import { appendLines, readLines, readSums } from '../../src/usage/audit-files.js'
import { allLines, auditFolder, auditLine, filesOf, startWriter } from '../support/audit.js'
import { thrownBy } from '../support/environment.js'

const print = (...lines: AuditLine[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const never = () => expect.unreachable('no line is damaged')
const namesIn = (dataDir: string) => readdirSync(join(dataDir, 'audit')).sort()
/** Two lines fill a file. */
const limits = { maxFileBytes: 700, maxFiles: 2 }

describe('the files of the audit log', () => {
  it('are for their owner alone, in a folder for its owner alone', () => {
    const dataDir = auditFolder()
    appendLines({ dataDir }, print(auditLine()))
    const file = join(dataDir, 'audit/000001.jsonl')
    expect(statSync(join(dataDir, 'audit')).mode & 0o777).toBe(0o700)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    chmodSync(file, 0o644)
    appendLines({ dataDir }, print(auditLine()))
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('lose and tear no line of three processes, over many rotations, while others read', async () => {
    const dataDir = auditFolder()
    const sizes = { batches: 100, size: 35, maxFileBytes: 100_000 }
    const sessions = ['a', 'b', 'c']
    const writers = await Promise.all(sessions.map((session) => startWriter(dataDir, { session, ...sizes })))
    let writing = true
    const written = Promise.all(writers.map((writer) => writer.begin())).finally(() => {
      writing = false
    })
    let seen = 0
    while (writing) {
      const { calls, damagedLines } = readSums({ dataDir }).report()
      expect(damagedLines).toBe(0)
      expect(calls).toBeGreaterThanOrEqual(seen)
      seen = calls
      await new Promise((resolve) => setImmediate(resolve))
    }
    await written
    const lines = allLines(dataDir)
    expect(lines).toHaveLength(10_500)
    for (const session of sessions) {
      const tools = lines.filter((line) => line.session === session).map(({ tool }) => tool)
      expect(tools).toEqual(Array.from({ length: 3_500 }, (_, i) => `tool ${i}`))
    }
    expect(filesOf(dataDir).size).toBeGreaterThan(20)
    expect(readSums({ dataDir }).report()).toMatchObject({ calls: 10_500, sessions: 3, damagedLines: 0 })
    for (const name of namesIn(dataDir)) expect(statSync(join(dataDir, 'audit', name)).mode & 0o777).toBe(0o600)
  })

  it('keep the sums of what is removed', () => {
    const dataDir = auditFolder()
    for (let i = 0; i < 10; i++) appendLines({ dataDir, limits }, print(auditLine({ session: `s${i}`, isError: i === 0 })))
    expect(namesIn(dataDir).filter((name) => name.endsWith('.jsonl'))).toEqual(['000004.jsonl', '000005.jsonl'])
    expect(allLines(dataDir)).toHaveLength(4)
    expect(readSums({ dataDir }).report()).toMatchObject({ calls: 10, errors: 1, sessions: 10 })
  })

  it('are summed up again when one has grown after its sums were kept, or these are broken', () => {
    const dataDir = auditFolder()
    for (let i = 0; i < 4; i++) appendLines({ dataDir, limits }, print(auditLine()))
    expect(namesIn(dataDir)).toEqual(['000001.jsonl', '000001.sums', '000002.jsonl'])
    writeFileSync(join(dataDir, 'audit/000001.jsonl'), print(auditLine()), { flag: 'a' })
    expect(readSums({ dataDir }).report().calls).toBe(5)
    writeFileSync(join(dataDir, 'audit/000001.sums'), '99999\n{"version":1,')
    expect(readSums({ dataDir }).report().calls).toBe(5)
  })

  it('tell of lines that are none, and wait for one that is still being written', () => {
    const dataDir = auditFolder()
    appendLines({ dataDir }, `${print(auditLine())}torn{"ts":\n{"ts":"x"}\n${print(auditLine())}{"ts":"2026`)
    let damaged = 0
    expect(readLines({ dataDir }, () => damaged++)).toHaveLength(2)
    expect(damaged).toBe(2)
    expect(readSums({ dataDir }).report()).toMatchObject({ calls: 2, damagedLines: 2 })
  })

  it('need not be there', () => {
    const dataDir = auditFolder()
    expect(readLines({ dataDir }, never)).toEqual([])
    expect(readSums({ dataDir }).report()).toMatchObject({ since: null, calls: 0, servers: [] })
    appendLines({ dataDir }, '')
    expect(() => statSync(dataDir)).toThrow()
  })

  it('are an AUDIT_FILE error where they cannot be written', () => {
    const dataDir = auditFolder()
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'audit'), 'no folder')
    expect(thrownBy<SluiceError>(() => appendLines({ dataDir }, print(auditLine())))).toMatchObject({ code: 'AUDIT_FILE' })
    expect(thrownBy<SluiceError>(() => readSums({ dataDir }))).toMatchObject({ code: 'AUDIT_FILE' })
    rmSync(join(dataDir, 'audit'))
    appendLines({ dataDir }, print(auditLine()))
    expect(readFileSync(join(dataDir, 'audit/000001.jsonl'), 'utf8')).toBe(print(auditLine()))
  })
})
