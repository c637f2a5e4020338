import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createComputePool } from '../../src/actor/compute-pool.js'
import { CatalogShelf } from '../../src/gateway/catalog-shelf.js'
import { prepareArgs } from '../support/catalogs.js'
import { testEnvironment } from '../support/environment.js'
import { COMPRESSED, prepareHere } from '../support/prepared.js'

const compute = createComputePool({ maxThreads: 1 })
afterAll(() => compute.close())

const args = prepareArgs('srv', { tools: [{ name: 'one' }, { name: 'two' }], instructions: 'Be kind.' }, COMPRESSED)

function openShelf(dataDir: string | undefined, version = '1.0.0'): CatalogShelf {
  return new CatalogShelf({ compute, version, dataDir })
}

/** Each file's own number: another one after it was written anew. */
function filesIn(dataDir: string): Record<string, number> {
  const folder = join(dataDir, 'prepared')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return Object.fromEntries(names.map((name) => [name, statSync(join(folder, name)).ino]))
}

it('gives another process what was prepared, without preparing it again', async () => {
  const { dataDir } = testEnvironment()
  expect(await openShelf(dataDir).prepare(args)).toEqual(prepareHere(args))
  const files = filesIn(dataDir)
  expect(Object.keys(files)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/)])
  expect(await openShelf(dataDir).prepare(args)).toEqual(prepareHere(args))
  expect(filesIn(dataDir)).toEqual(files)
})

it('prepares anew what is broken, and keeps that', async () => {
  const { dataDir } = testEnvironment()
  await openShelf(dataDir).prepare(args)
  const [name = ''] = Object.keys(filesIn(dataDir))
  const file = join(dataDir, 'prepared', name)
  const { size } = statSync(file)
  writeFileSync(file, '{"version":1')
  expect(await openShelf(dataDir).prepare(args)).toEqual(prepareHere(args))
  expect(statSync(file).size).toBe(size)
})

it('has another file for every version and every difference in content and options', async () => {
  const { dataDir } = testEnvironment()
  const shelf = openShelf(dataDir)
  const [one, two] = args.lists.tools
  const others = [
    { ...args, options: { ...args.options, descriptionBudget: 90 } },
    { ...args, server: { ...args.server, instructions: 'Be quick.' } },
    { ...args, lists: { ...args.lists, tools: [two!, one!] } },
    { ...args, lists: { ...args.lists, tools: [{ ...one!, exposed: 'another' }, two!] } },
    { ...args, lists: { ...args.lists, tools: [{ ...one!, key: 'another' }, two!] } },
  ]
  await shelf.prepare(args)
  for (const other of others) await shelf.prepare(other)
  await openShelf(dataDir, '1.0.1').prepare(args)
  expect(Object.keys(filesIn(dataDir))).toHaveLength(others.length + 2)
})

it('keeps no file where nothing is counted, or nothing is to be remembered', async () => {
  const { dataDir } = testEnvironment()
  const uncounted = { ...args, options: { ...args.options, costs: false } }
  expect(await openShelf(dataDir).prepare(uncounted)).toEqual(prepareHere(uncounted))
  expect(await openShelf(undefined).prepare(args)).toEqual(prepareHere(args))
  expect(existsSync(dataDir)).toBe(false)
})
