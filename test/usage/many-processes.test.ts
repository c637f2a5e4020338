import { readdirSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ComputePool, createComputePool } from '../../src/actor/compute-pool.js'
import { readUsage, recordUses } from '../../src/usage/usage-file.js'
import { startRecorder, usageFolder } from '../support/usage.js'

const AT = 1_700_000_000_000

describe('the usage file in many processes', () => {
  let place: ReturnType<typeof usageFolder>
  let pool: ComputePool
  beforeEach(() => {
    place = usageFolder()
    pool = createComputePool({ maxThreads: 2 })
  })
  afterEach(async () => {
    await pool.close()
    place.remove()
  })

  const sumOf = (server: string) =>
    readUsage({ file: place.file })
      .scores.filter((tool) => tool.server === server)
      .reduce((sum, { score }) => sum + score, 0)

  it('loses no use of three processes and two threads that record at the same time', async () => {
    const { file, folder } = place
    const recorders = await Promise.all(['a', 'b', 'c'].map((server) => startRecorder(file, { server, batches: 25, size: 80 })))
    const uses = Array.from({ length: 50 }, (_, i) => ({ server: 'threads', tool: `t${i}`, atMs: AT }))
    const [threads, ...processes] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, () => pool.run('recordUses', { file, uses }))),
      ...recorders.map((recorder) => recorder.begin()),
    ])
    expect(processes).toEqual(Array.from({ length: 3 }, () => ({ recorded: 25, notices: [] })))
    expect(threads).toEqual(Array.from({ length: 40 }, () => ({})))
    for (const server of ['a', 'b', 'c', 'threads']) expect(sumOf(server)).toBeCloseTo(2_000, 6)
    expect(sumOf('shared')).toBeCloseTo(75, 6)
    const scores = await pool.run('readUsage', { file })
    expect(scores).toEqual(readUsage({ file }))
    expect(scores.pairs.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(6_000, 6)
    expect(readdirSync(folder)).toEqual(['usage.db'])
  })

  it('sets a broken file aside once, however many find it broken, and loses no use', async () => {
    const { file, folder } = place
    writeFileSync(file, 'no database at all\n'.repeat(500))
    const recorders = await Promise.all(
      ['a', 'b', 'c', 'd'].map((server) => startRecorder(file, { server, batches: 5, size: 10 })),
    )
    const outcomes = await Promise.all(recorders.map((recorder) => recorder.begin()))
    expect(outcomes.map(({ recorded, error }) => ({ recorded, error }))).toEqual(
      Array.from({ length: 4 }, () => ({ recorded: 5, error: undefined })),
    )
    expect(outcomes.flatMap(({ notices }) => notices)).toHaveLength(1)
    expect(readdirSync(folder).filter((name) => name.includes('broken'))).toHaveLength(1)
    for (const server of ['a', 'b', 'c', 'd']) expect(sumOf(server)).toBeCloseTo(50, 6)
  })

  it('holds whole batches only after a process was killed in the middle of one', async () => {
    const { file } = place
    const recorder = await startRecorder(file, { server: 'a', batches: 1_000_000, size: 50 })
    const begun = recorder.begin().catch(() => undefined)
    try {
      while (sumOf('shared') < 3) await new Promise((resolve) => setImmediate(resolve))
    } finally {
      await recorder.kill()
      await begun
    }
    const batches = sumOf('shared')
    expect(sumOf('a')).toBeCloseTo(50 * batches, 6)
    expect(recordUses({ file, uses: [{ server: 'a', tool: 'x', atMs: AT }] })).toEqual({})
    expect(sumOf('a')).toBeCloseTo(50 * batches + 1, 6)
  })

  it('keeps the code of a failure through the pool', async () => {
    await expect(
      pool.run('recordUses', { file: place.folder, uses: [{ server: 'a', tool: 'b', atMs: AT }] }),
    ).rejects.toMatchObject({
      name: 'SluiceError',
      code: 'USAGE_FILE',
    })
  })
})
