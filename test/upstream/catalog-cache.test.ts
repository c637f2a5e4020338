import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLogger } from '../../src/base/logger.js'
import { pruneFiles } from '../../src/base/prune-files.js'
import { type CachedCatalog, type CatalogKey, createCatalogCache } from '../../src/upstream/catalog-cache.js'
import { testEnvironment } from '../support/environment.js'
import { stdioWire } from '../support/upstreams.js'

const DAY_MS = 24 * 60 * 60 * 1000
const SECRET = 'hunter2-very-secret'

const wire = stdioWire('node', ['server.js', SECRET], { env: { TOKEN: SECRET } })
const client = { protocolVersion: '2025-11-25', capabilities: { roots: { listChanged: true }, sampling: {} } }
const key: CatalogKey = { wire, client }

function openCache(folder = testEnvironment().dataDir) {
  const lines: { level: string; event: string }[] = []
  const logger = createLogger({ level: 'debug', json: true, write: (line) => lines.push(JSON.parse(line)) })
  return { folder, lines, cache: createCatalogCache({ folder, logger }) }
}

function catalogOf(...tools: string[]): CachedCatalog {
  const facts = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'one' },
    instructions: undefined,
    more: { _meta: { a: 1 } },
  }
  const items = tools.map((name) => ({ key: name, json: `{"name":"${name}","n":1.0}` }))
  return {
    facts,
    lists: { tools: { items, members: [{ key: '_meta', json: '{"v":1.0}' }] }, prompts: { items: [], members: [] } },
  }
}

function files(folder: string): string[] {
  return readdirSync(join(folder, 'catalogs')).map((name) => join(folder, 'catalogs', name))
}

/** The only file of a cache with one catalog in it. */
async function savedFile(): Promise<{ folder: string; file: string }> {
  const { cache, folder } = openCache()
  await cache.save(key, catalogOf('a', 'b'))
  return { folder, file: files(folder)[0]! }
}

it('gives back what another process has saved, to the last digit', async () => {
  const { cache, folder } = openCache()
  expect(await cache.load(key)).toBeUndefined()
  await cache.save(key, catalogOf('a', 'b'))
  expect(await openCache(folder).cache.load(key)).toEqual(catalogOf('a', 'b'))
})

it('reads a file once, and gives everybody the same lists', async () => {
  const { folder } = await savedFile()
  const { cache } = openCache(folder)
  const [one, two] = await Promise.all([cache.load(key), cache.load(key)])
  rmSync(join(folder, 'catalogs'), { recursive: true })
  expect(one).toBeDefined()
  expect(two).toBe(one)
  expect(await cache.load(key)).toBe(one)
})

it('has another catalog for every difference in how the server is reached and in what it is offered', async () => {
  const { cache, folder } = openCache()
  await cache.save(key, catalogOf('a'))
  const http = { kind: 'http', url: 'https://example.org/mcp', headers: { authorization: 'one' } } as const
  await cache.save({ wire: http, client }, catalogOf('h'))
  const others: CatalogKey[] = [
    { wire: { ...wire, env: { TOKEN: 'another' } } as CatalogKey['wire'], client },
    { wire: { ...wire, args: ['server.js'] } as CatalogKey['wire'], client },
    { wire: { ...wire, cwd: '/' } as CatalogKey['wire'], client },
    { wire: { ...wire, inheritEnv: true } as CatalogKey['wire'], client },
    { wire, client: { ...client, capabilities: { roots: {} } } },
    { wire, client: { ...client, protocolVersion: '2025-06-18' } },
    { wire: { ...http, headers: { authorization: 'two' } }, client },
    { wire: { ...http, kind: 'auto' }, client },
  ]
  for (const other of others) expect(await openCache(folder).cache.load(other)).toBeUndefined()
  const reordered = { ...client, capabilities: { sampling: {}, roots: { listChanged: true } } }
  expect(await openCache(folder).cache.load({ wire, client: reordered })).toEqual(catalogOf('a'))
})

it('is for the eyes of its owner, and has no secret in names or contents', async () => {
  const { folder, file } = await savedFile()
  const mode = (path: string) => statSync(path).mode & 0o777
  expect([mode(file), mode(join(folder, 'catalogs')), mode(join(folder, 'machine.key'))]).toEqual([0o600, 0o700, 0o600])
  expect(file + readFileSync(file, 'utf8')).not.toContain(SECRET)
})

it('takes a file that is not as it was written for none, and away', async () => {
  const { folder, file } = await savedFile()
  const written = readFileSync(file)
  await fc.assert(
    fc.asyncProperty(fc.nat(written.length - 1), fc.integer({ min: 1, max: 127 }), async (at, bits) => {
      const broken = Buffer.from(written)
      broken[at] = (broken[at] ?? 0) ^ bits
      writeFileSync(file, broken)
      const { cache, lines } = openCache(folder)
      expect(await cache.load(key)).toBeUndefined()
      expect(lines.map(({ level, event }) => [level, event])).toEqual([['debug', 'catalog_discarded']])
      expect(files(folder)).toEqual([])
    }),
    { numRuns: 60 },
  )
  for (const content of ['', '{}', 'null', written.subarray(0, -1), Buffer.concat([written, Buffer.from('}')])]) {
    writeFileSync(file, content)
    expect(await openCache(folder).cache.load(key)).toBeUndefined()
  }
})

it('takes the file of another machine, or of another server, for none', async () => {
  const { folder, file } = await savedFile()
  const other = openCache(folder)
  await other.cache.save({ wire, client: { ...client, capabilities: {} } }, catalogOf('other'))
  const [otherFile] = files(folder).filter((name) => name !== file)
  writeFileSync(file, readFileSync(otherFile!))
  expect(await openCache(folder).cache.load(key)).toBeUndefined()
  writeFileSync(join(folder, 'machine.key'), Buffer.alloc(32))
  expect(await openCache(folder).cache.load({ wire, client: { ...client, capabilities: {} } })).toBeUndefined()
})

it('makes a new key where the old one is broken', async () => {
  const { folder } = await savedFile()
  writeFileSync(join(folder, 'machine.key'), 'short')
  const { cache } = openCache(folder)
  await cache.save(key, catalogOf('a'))
  expect(await openCache(folder).cache.load(key)).toEqual(catalogOf('a'))
})

it('agrees with all who begin at the same time', async () => {
  const { folder } = openCache()
  await Promise.all(Array.from({ length: 12 }, (_, i) => openCache(folder).cache.save(key, catalogOf('a', `t${i}`))))
  const found = await openCache(folder).cache.load(key)
  expect(found?.lists.tools?.items.map((item) => item.key)).toEqual(['a', expect.stringMatching(/^t\d+$/)])
  expect(files(folder)).toHaveLength(1)
  expect(readdirSync(folder).sort()).toEqual(['catalogs', 'machine.key'])
})

it('takes a catalog out in which nothing is left', async () => {
  const { folder } = await savedFile()
  const { cache } = openCache(folder)
  expect(await cache.load(key)).toBeDefined()
  await cache.save(key, catalogOf())
  expect(await cache.load(key)).toBeUndefined()
  expect(files(folder)).toEqual([])
})

it('warns once where it cannot write, and remembers for as long as the process lives', async () => {
  const { dataDir } = testEnvironment()
  writeFileSync(dataDir, 'a file where the folder should be')
  const { cache, lines } = openCache(dataDir)
  await cache.save(key, catalogOf('a'))
  await cache.save(key, catalogOf('b'))
  expect(await cache.load(key)).toEqual(catalogOf('b'))
  expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([{ event: 'catalog_cache_unwritable' }])
})

it('has everything on disk after a flush', async () => {
  const { cache, folder } = openCache()
  void cache.save(key, catalogOf('a'))
  await cache.flush()
  expect(await openCache(folder).cache.load(key)).toEqual(catalogOf('a'))
})

it('counts a load as use, and removes at a save what nobody has used for long', async () => {
  const { folder, file } = await savedFile()
  const [old, older] = [new Date(Date.now() - 80 * DAY_MS), new Date(Date.now() - 100 * DAY_MS)]
  utimesSync(file, old, old)
  const stale = join(folder, 'catalogs', 'left-behind')
  writeFileSync(stale, '')
  utimesSync(stale, older, older)
  const { cache } = openCache(folder)
  await cache.load(key)
  expect(statSync(file).mtimeMs).toBeGreaterThan(Date.now() - DAY_MS)
  await cache.save({ wire, client: { ...client, capabilities: {} } }, catalogOf('a'))
  expect(files(folder)).toHaveLength(2)
  expect(files(folder)).not.toContain(stale)
})

it('keeps so many files, the most recently used', async () => {
  const { dataDir } = testEnvironment()
  mkdirSync(dataDir)
  for (const days of [3, 1, 2]) {
    const file = join(dataDir, `${days}`)
    const at = new Date(Date.now() - days * DAY_MS)
    writeFileSync(file, '')
    utimesSync(file, at, at)
  }
  await pruneFiles(dataDir, { maxAgeMs: 90 * DAY_MS, maxFiles: 2 })
  expect(readdirSync(dataDir).sort()).toEqual(['1', '2'])
})
