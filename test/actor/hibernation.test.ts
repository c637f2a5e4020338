import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SessionActor, SessionFacts } from '../../src/actor/session-tenant.js'
import { createSessionThreads, type SessionThreads } from '../../src/actor/session-threads.js'
import { workerUrl } from '../../src/actor/worker-urls.js'
import { createLogger } from '../../src/base/logger.js'
import type { CatalogDoc } from '../../src/protocol/catalog-api.js'

const FACTS: SessionFacts = {
  maxIndexBytes: 50_000_000,
  names: { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' },
}
const SOON_MS = 30

describe.runIf(process.platform !== 'win32')('a session that is not used', () => {
  let folder: string
  let threads: SessionThreads
  let complaints: string[]

  const open = (options: { hibernateAfterMs?: number; maxWorkers?: number } = {}) => {
    const logger = createLogger({ level: 'error', json: true, write: (line) => complaints.push(line) })
    threads = createSessionThreads({
      url: workerUrl('session'),
      maxWorkers: 2,
      hibernateAfterMs: SOON_MS,
      folder,
      logger,
      ...options,
    })
    return threads
  }
  const files = async () => {
    const [own] = await readdir(folder)
    return own === undefined ? [] : (await readdir(join(folder, own))).map((name) => join(folder, own, name))
  }
  const asleep = () => vi.waitFor(() => expect(threads.threadCount).toBe(0), { timeout: 10_000, interval: 10 })

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-test-'))
    complaints = []
  })
  afterEach(async () => {
    await threads.stop()
    expect(await readdir(folder)).toEqual([])
    await rm(folder, { recursive: true })
  })

  it('sleeps in a private file, its thread ended, and wakes with all it had', async () => {
    const actor = open().actorOf('a', FACTS)
    await ingest(actor, 't:1', 'walrus')
    await searchable(actor, 'walrus')
    await asleep()
    const [file = ''] = await files()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700)
    expect((await search(actor, 'walrus')).text).toContain('line 7 walrus')
    expect(threads.threadCount).toBe(1)
    expect((await read(actor, 't:1')).text).toContain('line 1 walrus')
    expect(await actor.ask('labels', { prefix: '', limit: 5 })).toEqual({ labels: ['t:1'], total: 1 })
    expect(complaints).toEqual([])
  })

  it('sleeps again, with what it has learned since', async () => {
    const actor = open().actorOf('a', FACTS)
    for (const word of ['alder', 'birch', 'cedar']) {
      await ingest(actor, `${word}:1`, word)
      await searchable(actor, word)
      await asleep()
    }
    expect(await files()).toHaveLength(1)
    for (const word of ['alder', 'birch', 'cedar']) expect((await search(actor, word)).text).toContain(`line 3 ${word}`)
  })

  it('sleeps when its indexing is done, though nobody asks', async () => {
    const actor = open({ hibernateAfterMs: 5 }).actorOf('a', FACTS)
    await ingest(actor, 't:1', 'walrus', 50_000)
    await asleep()
    expect((await search(actor, 'walrus')).text).toContain('walrus')
  })

  it('stays awake while it indexes', async () => {
    const actor = open({ hibernateAfterMs: 1 }).actorOf('a', FACTS)
    await ingest(actor, 't:1', 'walrus', 100_000)
    await searchable(actor, 'walrus')
    await asleep()
    expect((await search(actor, 'walrus')).text).toContain('walrus')
    expect(complaints).toEqual([])
  })

  it('keeps its catalog, and takes what has changed meanwhile', async () => {
    const actor = open().actorOf('a', FACTS)
    actor.furnish('one', docs('one', 'walrus'))
    actor.furnish('two', docs('two', 'penguin'))
    await search(actor, 'walrus')
    await asleep()
    actor.furnish('two', docs('two', 'albatross'))
    expect(threads.threadCount).toBe(0)
    expect((await search(actor, 'walrus')).text).toContain('mcp/one')
    expect((await search(actor, 'albatross')).text).toContain('mcp/two')
    expect((await search(actor, 'penguin')).text).not.toContain('mcp/two')
  })

  it('answers everything that is asked while it falls asleep', async () => {
    const actor = open({ hibernateAfterMs: 1 }).actorOf('a', FACTS)
    await ingest(actor, 't:1', 'walrus')
    await searchable(actor, 'walrus')
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setTimeout(resolve, i % 7))
      expect((await search(actor, 'walrus')).text).toContain('walrus')
    }
    expect(complaints).toEqual([])
  })

  it('keeps to itself what it has, though it shares its threads', async () => {
    open()
    const words = Array.from({ length: 24 }, (_, i) => `word${'abcdefghijklmnopqrstuvwxyz'[i]}`)
    const actors = words.map((word) => threads.actorOf(word, FACTS))
    await Promise.all(actors.map((actor, i) => ingest(actor, `t:${i}`, words[i]!)))
    await Promise.all(actors.map((actor, i) => searchable(actor, words[i]!)))
    await asleep()
    expect(await files()).toHaveLength(24)
    const found = await Promise.all(actors.map((actor) => search(actor, ...words)))
    found.forEach(({ text }, i) => {
      expect(text).toContain(`line 9 ${words[i]}`)
      for (const word of words) if (word !== words[i]) expect(text).not.toContain(`line 9 ${word}`)
    })
    expect(threads.threadCount).toBeLessThanOrEqual(2)
  })

  it('says what was lost when its file cannot be read any more', async () => {
    const actor = open().actorOf('a', FACTS)
    actor.furnish('one', docs('one', 'penguin'))
    await ingest(actor, 't:1', 'walrus')
    actor.remember('t:1')
    await searchable(actor, 'walrus')
    await asleep()
    for (const file of await files()) await writeFile(file, 'no database')
    expect((await read(actor, 't:1')).text).toContain('was lost')
    expect((await search(actor, 'penguin')).text).toContain('mcp/one')
  })

  it('goes on awake when there is no room to sleep in', async () => {
    await rm(folder, { recursive: true })
    await writeFile(folder, '')
    const actor = open().actorOf('a', FACTS)
    await ingest(actor, 't:1', 'walrus')
    await searchable(actor, 'walrus')
    await vi.waitFor(() => expect(complaints.length).toBeGreaterThan(0), { timeout: 10_000, interval: 10 })
    expect(JSON.parse(complaints[0]!)).toMatchObject({ event: 'session-thread.hibernate-failed', session: 'a' })
    expect((await search(actor, 'walrus')).text).toContain('walrus')
    await rm(folder)
    await mkdir(folder)
  })

  it('takes its file with it when it is closed, asleep or awake', async () => {
    open()
    const actors = ['a', 'b'].map((session) => threads.actorOf(session, FACTS))
    for (const actor of actors) await search(actor, 'walrus')
    await asleep()
    expect(await files()).toHaveLength(2)
    await search(actors[0]!, 'walrus')
    await Promise.all(actors.map((actor) => actor.close()))
    await vi.waitFor(async () => expect(await files()).toEqual([]))
  })

  it('finds no folder of a gateway that was killed', async () => {
    await mkdir(join(folder, 'sleeping-2147483646-x'))
    await writeFile(join(folder, 'sleeping-2147483646-x', '1.db'), 'left behind')
    await search(open().actorOf('a', FACTS), 'walrus')
    await asleep()
    expect(await readdir(folder)).toEqual([expect.stringContaining(`sleeping-${process.pid}-`)])
  })
})

function ingest(actor: SessionActor, label: string, word: string, lines = 500) {
  const text = Array.from({ length: lines }, (_, i) => `line ${i + 1} ${word}`).join('\n')
  const frame = new Uint8Array(
    Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } })),
  )
  const args = { frame, kind: 'tool', label, thresholdBytes: 100, idJson: '1' } as const
  return actor.ask('ingest', args, { transfer: [frame.buffer] })
}

function search(actor: SessionActor, ...queries: string[]) {
  return actor.ask('search', { queries, limit: 5, searchWaitMs: 30_000, deferring: true })
}

async function searchable(actor: SessionActor, word: string): Promise<void> {
  expect((await search(actor, word)).text).toContain(word)
}

function read(actor: SessionActor, label: string) {
  return actor.ask('read', { label, offset: '1', limit: 5, maxBytes: 10_000 })
}

function docs(alias: string, word: string): Uint8Array {
  const fields = { name: word, title: '', description: `the ${word}`, parameters: '', server: alias }
  const doc: CatalogDoc = {
    label: `mcp/${alias}/tool/${word}`,
    kind: 'tool',
    exposed: `${alias}__${word}`,
    text: `the ${word}`,
    headLines: 1,
    fields,
  }
  const bytes = Buffer.from(JSON.stringify([doc]))
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}
