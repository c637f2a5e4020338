import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keepPrepared, loadPrepared } from '../../src/compute/prepared-file.js'
import { testEnvironment } from '../support/environment.js'
import { COMPRESSED, docsOf, prepare } from '../support/prepared.js'

const DAY_MS = 24 * 60 * 60 * 1000
const NAME = 'a0'
const CATALOG = {
  tools: [{ name: 'one', description: '数据 🐎, "quoted"', inputSchema: { type: 'object' } }, { name: 'two' }],
  resources: [{ uri: 'file:///a', name: 'a' }],
  instructions: '# Use\n\nBe kind.',
}
const prepared = prepare(CATALOG, COMPRESSED)

/** A folder in which the catalog is kept. */
async function kept(name = NAME) {
  const { dataDir } = testEnvironment()
  await keepPrepared({ dataDir, name }, prepared)
  const folder = join(dataDir, 'prepared')
  return { dataDir, folder, file: join(folder, `${name}.json`) }
}

it('gives back what was kept, its documents in shared memory', async () => {
  const { dataDir } = await kept()
  const loaded = loadPrepared({ dataDir, name: NAME })
  expect(loaded).toEqual(prepared)
  expect(loaded?.docs.buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(docsOf(loaded!)).toHaveLength(4)
})

it('has nothing where nothing was kept, and makes nothing', () => {
  const { dataDir } = testEnvironment()
  expect(loadPrepared({ dataDir, name: NAME })).toBeUndefined()
  mkdirSync(dataDir)
  expect(loadPrepared({ dataDir, name: NAME })).toBeUndefined()
  expect(readdirSync(dataDir)).toEqual([])
})

it('takes what is not as it was written for none, and replaces it', async () => {
  const { dataDir, file } = await kept()
  const written = readFileSync(file)
  const changed = Buffer.from(written)
  changed[changed.length >> 1]! ^= 1
  const broken = ['', '{}', 'null', changed, written.subarray(0, -1), Buffer.concat([written, Buffer.from(' ')])]
  for (const bytes of broken) {
    writeFileSync(file, bytes)
    expect(loadPrepared({ dataDir, name: NAME })).toBeUndefined()
    await keepPrepared({ dataDir, name: NAME }, prepared)
    expect(loadPrepared({ dataDir, name: NAME })).toEqual(prepared)
  }
})

it('takes the file of another content, or of another machine, for none', async () => {
  const { dataDir, file, folder } = await kept()
  writeFileSync(join(folder, 'a1.json'), readFileSync(file))
  expect(loadPrepared({ dataDir, name: 'a1' })).toBeUndefined()
  writeFileSync(join(dataDir, 'machine.key'), Buffer.alloc(32))
  expect(loadPrepared({ dataDir, name: NAME })).toBeUndefined()
  rmSync(join(dataDir, 'machine.key'))
  expect(loadPrepared({ dataDir, name: NAME })).toBeUndefined()
})

it('is for the eyes of its owner, whatever the folder was before', async () => {
  const { dataDir, file, folder } = await kept()
  chmodSync(folder, 0o755)
  await keepPrepared({ dataDir, name: NAME }, prepared)
  expect([statSync(file).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700])
  expect(readdirSync(folder)).toEqual([`${NAME}.json`])
})

it('keeps nothing where nothing can be written, which is no failure', async () => {
  const { dataDir } = testEnvironment()
  writeFileSync(dataDir, 'a file where the folder should be')
  await keepPrepared({ dataDir, name: NAME }, prepared)
  expect(loadPrepared({ dataDir, name: NAME })).toBeUndefined()
})

it('counts a load as use, and removes now and then what nobody has used for long', async () => {
  const { dataDir, file, folder } = await kept()
  const [old, older] = [new Date(Date.now() - 80 * DAY_MS), new Date(Date.now() - 100 * DAY_MS)]
  const stale = join(folder, 'left-behind')
  writeFileSync(stale, '')
  utimesSync(stale, older, older)
  utimesSync(file, old, old)
  loadPrepared({ dataDir, name: NAME })
  expect(statSync(file).mtimeMs).toBeGreaterThan(Date.now() - DAY_MS)
  for (const digit of '0123456789abcdef') await keepPrepared({ dataDir, name: `${digit}f` }, prepared)
  const left = readdirSync(folder)
  expect(left).toHaveLength(17)
  expect(left).not.toContain('left-behind')
})
