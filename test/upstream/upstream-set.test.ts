import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ServerConfig } from '../../src/config/config.js'
import { createSharedUpstreams } from '../../src/upstream/shared-upstreams.js'
import { createUpstreamSet } from '../../src/upstream/upstream-set.js'
import { ask, rememberingListener, testClient, until, upstreamSettings, wayward } from '../support/upstreams.js'

let folder = ''
const endings: (() => Promise<void>)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-set-'))
})

afterEach(async () => {
  await Promise.all(endings.splice(0).map((end) => end()))
  rmSync(folder, { recursive: true })
})

function gateway(servers: readonly ServerConfig[], startConcurrency = 8) {
  const shared = createSharedUpstreams(servers, upstreamSettings())
  endings.push(() => shared.stop())
  const session = () => {
    const listener = rememberingListener()
    const set = createUpstreamSet({
      ...upstreamSettings(),
      servers,
      shared,
      startConcurrency,
      client: () => testClient,
      listener,
    })
    endings.push(() => set.stop())
    return { set, listener }
  }
  return { shared, session }
}

it('gives each session an instance of its own, and one to all where the server is shared', async () => {
  const { session } = gateway([wayward([], { name: 'own' }), wayward([], { name: 'common', instances: 'shared' })])
  const [one, two] = [session(), session()]
  expect(one.set.all().map(({ server }) => server.name)).toEqual(['own', 'common'])
  expect(one.set.byAlias('own')).not.toBe(two.set.byAlias('own'))
  expect(one.set.byAlias('common')).toBe(two.set.byAlias('common'))
  expect(one.set.byAlias('constructor')).toBeUndefined()
})

it('tells every session of a shared server, answers its requests itself, and outlives a session', async () => {
  const { session } = gateway([wayward([], { name: 'common', instances: 'shared' })])
  const [one, two] = [session(), session()]
  const common = one.set.byAlias('common')!
  await common.ready()
  expect(two.listener.states).toEqual(['starting', 'ready'])
  await one.set.stop()
  await ask(common, 'test/addTool', { name: 'more' })
  await until(() => two.listener.lists.filter((kind) => kind === 'tools').length === 2)
  expect(one.listener.lists.filter((kind) => kind === 'tools')).toHaveLength(1)
  await ask(common, 'test/askBack', { method: 'roots/list' })
  expect((await ask(common, 'test/answers')).result).toMatchObject({ answers: [{ id: 0, error: { code: -32601 } }] })
  expect(two.listener.requests).toEqual([])
})

it('starts so many at a time, in order, and lets a caller jump the queue', async () => {
  const file = (name: string) => join(folder, name)
  const servers = ['a', 'b', 'c', 'd'].map((name) =>
    wayward(['--pid-file', file(name), '--start-delay', name === 'd' ? '0' : '700'], { name }),
  )
  const { set } = gateway(servers, 2).session()
  await set.startAll()
  const [a, b, c, d] = set.all()
  expect([a, b, c, d].map((upstream) => upstream?.state)).toEqual(['starting', 'starting', 'idle', 'idle'])
  await d?.ready()
  expect(c?.state).toBe('idle')
  expect(existsSync(file('c'))).toBe(false)
  await c?.ready()
})

it('goes on with the next server when one fails, and starts none after its end', async () => {
  const { set } = gateway([wayward(['--crash-at-start', '1'], { name: 'bad' }), wayward([], { name: 'good' })], 1).session()
  await set.startAll()
  await until(() => set.byAlias('good')?.state === 'ready')
  const late = gateway([wayward([], { name: 'x' }), wayward([], { name: 'y' })], 1).session().set
  void late.startAll()
  await late.stop()
  expect(late.all().map(({ state }) => state)).toEqual(['stopped', 'stopped'])
})
