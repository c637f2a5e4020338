import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/logger.js'
import type { ServerConfig } from '../../src/config/config.js'
import { type CatalogCache, createCatalogCache } from '../../src/upstream/catalog-cache.js'
import { testEnvironment } from '../support/environment.js'
import {
  ask,
  failure,
  fixture,
  stdioWire,
  testClient,
  toolNames,
  until,
  upstreamFactory,
  wayward,
} from '../support/upstreams.js'

const { supervise, stopAll } = upstreamFactory()
afterEach(stopAll)

function cacheIn(folder: string): CatalogCache {
  return createCatalogCache({ folder, logger: silentLogger })
}

/** Starts the server, has it cached, and gives another process's view of the cache. */
async function warmed(server: ServerConfig): Promise<CatalogCache> {
  const { dataDir } = testEnvironment()
  const cache = cacheIn(dataDir)
  const { upstream } = supervise(server, { cache })
  await upstream.ready()
  await upstream.stop()
  await cache.flush()
  return cacheIn(dataDir)
}

function cachedTools(cache: CatalogCache, server: ServerConfig) {
  return cache.load({ wire: server.wire, client: testClient }).then((found) => found?.lists.tools?.items.map(({ key }) => key))
}

it('knows facts and lists without being started, and counts its first attempt as over', async () => {
  const cache = await warmed(wayward())
  const { upstream, listener } = supervise(wayward(), { cache })
  await Promise.all([upstream.recall(), upstream.recall()])
  await upstream.firstAttempt
  expect([upstream.state, upstream.cached, upstream.facts?.instructions]).toEqual(['idle', true, 'be kind'])
  expect(toolNames(upstream)).toEqual(['echo', 'constructor'])
  expect(upstream.list('resources')).toHaveLength(1)
  expect(listener.states).toEqual([])
})

it('is no news when it comes back with the same lists, which stay the same objects', async () => {
  const cache = await warmed(wayward())
  const { upstream, listener } = supervise(wayward(), { cache })
  await upstream.recall()
  const before = upstream.list('tools')
  listener.lists.length = 0
  await upstream.ready()
  expect([upstream.cached, listener.lists]).toEqual([false, []])
  expect(upstream.list('tools')).toBe(before)
})

it('has the cache follow a list that changes later', async () => {
  const cache = await warmed(wayward())
  const { upstream } = supervise(wayward(), { cache })
  await upstream.ready()
  await ask(upstream, 'test/addTool', { name: 'more' })
  await until(() => toolNames(upstream).includes('more'))
  await upstream.stop()
  await cache.flush()
  expect(await cachedTools(cache, wayward())).toEqual(['echo', 'constructor', 'more'])
})

it('does not take a list that could not be read for an empty one', async () => {
  const failing = wayward(['--tools-fail'])
  const cache = await warmed(failing)
  expect(await cache.load({ wire: failing.wire, client: testClient })).toBeUndefined()
})

it('keeps what the cache had when it does not start, and leaves the cache as it was', async () => {
  const file = join(testEnvironment().cwd, 'catalog.json')
  const tools = [{ name: 'only', inputSchema: { type: 'object' } }]
  writeFileSync(file, JSON.stringify({ tools }))
  const server = wayward([], { wire: stdioWire(process.execPath, [fixture('catalog-server'), file]) })
  const cache = await warmed(server)
  writeFileSync(file, 'broken')
  const { upstream } = supervise(server, { cache, backoff: { firstMs: 60_000 } })
  await upstream.recall()
  expect((await failure(upstream.ready())).code).toBe('UPSTREAM_EXITED')
  expect([upstream.state, upstream.cached, toolNames(upstream)]).toEqual(['down', true, ['only']])
  await upstream.stop()
  await cache.flush()
  expect(await cachedTools(cache, server)).toEqual(['only'])
})

it('prefers what the server has said to a cache that is slow', async () => {
  const cache = await warmed(wayward())
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow: CatalogCache = { ...cache, save: async () => undefined, load: (key) => held.then(() => cache.load(key)) }
  const { upstream, listener } = supervise(wayward(), { cache: slow })
  const recalled = upstream.recall()
  await upstream.ready()
  await ask(upstream, 'test/addTool', { name: 'more' })
  await until(() => toolNames(upstream).includes('more'))
  const told = listener.lists.length
  release()
  await recalled
  expect([upstream.cached, toolNames(upstream), listener.lists.length]).toEqual([false, ['echo', 'constructor', 'more'], told])
})
