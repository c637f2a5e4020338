import { mkdirSync, readdirSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFileLock } from '../../src/base/file-lock.js'
import { testEnvironment } from '../support/environment.js'

const fresh = () => path.join(testEnvironment().dataDir, 'thing.json')

describe('a file lock', () => {
  it('lets one in at a time, whatever becomes of those before', async () => {
    const file = fresh()
    let inside = 0
    const task = async (index: number) => {
      expect(++inside).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 5))
      inside--
      if (index % 2 === 0) throw new Error('failed')
      return index
    }
    const outcomes = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((index) => withFileLock(file, () => task(index))))
    expect(outcomes.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(readdirSync(path.dirname(file))).toEqual([])
  })

  it('takes over the lock of one that died', async () => {
    const file = fresh()
    mkdirSync(`${file}.lock`, { recursive: true })
    utimesSync(`${file}.lock`, 0, 0)
    expect(await withFileLock(file, async () => 'done')).toBe('done')
  })

  it('fails at once where no folder can be made', async () => {
    await expect(withFileLock('/proc/none/thing.json', async () => 'done')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
