import { readdirSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmbedderProcess, type EmbedderProcess } from '../../src/actor/embedder-process.js'
import { openThreadActor } from '../../src/actor/thread-actor.js'
import { workerUrl } from '../../src/actor/worker-urls.js'
import { silentLogger } from '../../src/base/logger.js'
import type { SessionApi } from '../../src/protocol/session-api.js'
import type { VectorFacts } from '../../src/protocol/vector-api.js'
import { createTestModels, type TestModels, writeBrokenModel, writeRandomModel } from '../support/models.js'
import { type Harness, openSession, textFrame } from './session-harness.js'

let models: TestModels
let embedding: EmbedderProcess

beforeAll(() => {
  models = createTestModels()
  embedding = createEmbedderProcess({ ...models, logger: silentLogger })
})

afterAll(async () => {
  await embedding.stop()
  models.remove()
})

describe('a session with vectors', () => {
  it('finds a tool by what it does, where no word is the same', async () => {
    const session = await openSession({ vector: native() })
    await putTools(session)
    await embedded(session.api)
    const found = await searchTools(session, 'Is it going to rain in Paris tomorrow?')
    expect(found.text).toMatch(/^\[1\.1\] mcp\/a\/tool\/get_forecast/m)
    const plain = await openSession()
    await putTools(plain)
    expect((await searchTools(plain, 'Is it going to rain in Paris tomorrow?')).text).toContain('Nothing found')
  })

  it('finds nothing for a query that nothing answers', async () => {
    const session = await openSession({ vector: native() })
    await putTools(session)
    await session.put(`${PROSE}\n\n${FILLER}`)
    await embedded(session.api)
    expect((await session.search('xqzzy blorf wibble')).text).toContain('Nothing found')
  })

  it('keeps what is asked for to the letter in front', async () => {
    const session = await openSession({ vector: native() })
    await putTools(session)
    await embedded(session.api)
    expect((await searchTools(session, 'send_invoice')).text).toMatch(/^\[1\.1\] mcp\/a\/tool\/send_invoice/m)
  })

  it('embeds behind the answer, and says how far it is', async () => {
    const session = await openSession({ vector: native() })
    await session.put(`${PROSE}\n\n${FILLER}`)
    await embedded(session.api)
    await session.put(Array.from({ length: 400 }, (_, n) => `## Part ${n}\n\n${PROSE}`).join('\n'), 'a__b:2')
    const found = await session.search('penguins')
    expect(found.text).toContain('a__b:')
    expect(found.text).toMatch(/\d+ of [\d,]+ passages embedded so far/)
    await session.api.close({ session: 's1' })
  })

  it('loses nothing when the embedding process is killed in mid-run', async () => {
    const session = await openSession({ vector: native() })
    await session.put(Array.from({ length: 150 }, (_, n) => `## Part ${n}\n\n${PROSE}`).join('\n'))
    while ((await session.search('penguins')).text.match(/[1-9]\d* of \d+ passages/) === null) await turn()
    const killed = embedding.pid
    process.kill(killed ?? 0, 'SIGKILL')
    expect((await session.search('penguins')).text).toContain('a__b:1')
    await embedded(session.api)
    expect(embedding.pid).not.toBe(killed)
    expect((await session.search('birds that cannot fly')).text).not.toContain('off')
    expect(session.faults).toEqual([])
  })

  it('is not helped by a model with random weights, and says so once', async () => {
    const model = await writeRandomModel(join(models.folder, 'random'))
    const session = await openSession({ vector: native(model) })
    const plain = await openSession()
    for (const each of [session, plain]) await putTools(each)
    await faultOf(session)
    const [first, second] = [await searchTools(session, 'send the file'), await searchTools(session, 'send the file')]
    expect(first.text).toContain('does not tell what belongs together')
    expect(second.text).toBe((await searchTools(plain, 'send the file')).text)
  })

  it.each([
    ['a folder that is not there', async () => join(models.folder, 'nowhere'), 'it does not exist'],
    ['broken weights', () => writeBrokenModel(join(models.folder, 'broken')), 'cannot be loaded'],
    ['a hub out of reach', async () => 'someone/some-model', 'cannot be fetched from http://127.0.0.1:1'],
    ['a name that is no model', async () => 'wrong', 'neither a folder nor a model of the hub'],
  ])('searches by words with %s, and says so once', async (_, modelOf, why) => {
    const session = await openSession({ vector: { ...native(await modelOf()), runtime: 'auto' } })
    await session.put(`${PROSE}\n\n${FILLER}`)
    await faultOf(session)
    const first = await session.search('penguins')
    expect(first.text).toContain('a__b:1')
    expect(first.text).toContain('Search by meaning is off')
    expect(first.text).toContain(why)
    expect((await session.search('penguins')).text).not.toContain('meaning')
    expect(session.faults).toEqual([expect.objectContaining({ code: 'VECTOR_MODEL' })])
  })

  it('takes vectors of a catalog from the disk, where they are for the owner only', async () => {
    const dataDir = join(models.folder, 'data')
    const first = await openSession({ vector: { ...native(), dataDir } })
    await putTools(first)
    await embedded(first.api)
    const folder = join(dataDir, 'vectors')
    const [name = ''] = readdirSync(folder)
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    const before = statSync(join(folder, name)).ino
    const second = await openSession({ vector: { ...native(), dataDir } })
    await putTools(second)
    await embedded(second.api)
    expect(statSync(join(folder, name)).ino).toBe(before)
    expect((await searchTools(second, 'Is it going to rain in Paris tomorrow?')).text).toContain('get_forecast')
    await writeFile(join(folder, name), 'something else')
    const third = await openSession({ vector: { ...native(), dataDir } })
    await putTools(third)
    await embedded(third.api)
    expect(statSync(join(folder, name)).ino).not.toBe(before)
    expect(readdirSync(folder)).toEqual([name])
  })

  it('falls back to WebAssembly in its own thread, which never loads the native runtime', async () => {
    const actor = openThreadActor<SessionApi>(workerUrl('session'), { name: 'vectors' })
    try {
      const names = { search: 'S', read: 'R', call: 'C' }
      const { modelsDir, hubCache, hubUrl } = models
      const vector = { modelsDir, hubCache, hubUrl, model: 'use-lite', runtime: 'auto' } as const
      await actor.ask('open', { session: 's1', maxIndexBytes: 1e8, names, lostLabels: [], vector })
      const frame = textFrame(`${PROSE}\n\n${FILLER}`)
      await actor.ask('ingest', { session: 's1', frame, kind: 'tool', label: 't:1', thresholdBytes: 0, idJson: '1' })
      while ((await actor.ask('status', {})).unembedded > 0) await turn()
      const query = { session: 's1', queries: ['penguins'], limit: 5, searchWaitMs: 20_000 }
      expect((await actor.ask('search', query)).text).toContain('t:1')
      const report = process.report.getReport() as unknown as { sharedObjects: string[] }
      expect(report.sharedObjects.filter((path) => path.includes('onnxruntime'))).toEqual([])
    } finally {
      await actor.stop()
    }
  })
})

/** Long enough for a receipt to be shorter. */
const FILLER = 'Nothing more is known of it here, and the page ends.\n'.repeat(60)

const PROSE =
  'Penguins live at sea and on ice. They swim well and cannot fly. In winter the males keep the egg warm on their feet, ' +
  'while the females hunt for fish far away. When the young are hatched, both parents feed them in turn until they can dive.'

const TOOLS = [
  ['get_forecast', 'Tells the weather of the coming days at a place.'],
  ['send_invoice', 'Sends a bill to a customer by mail.'],
  ['resize_image', 'Makes a picture smaller or larger.'],
  ['merge_branch', 'Merges one line of development into another.'],
  ['play_song', 'Plays a piece of music from the library.'],
] as const

function native(model = 'use-lite'): VectorFacts {
  return { ...models, model, runtime: 'native', socket: embedding.socket() }
}

async function putTools(session: Harness): Promise<void> {
  const docs = TOOLS.map(([name, description]) => ({
    label: `mcp/a/tool/${name}`,
    kind: 'tool',
    exposed: `a__${name}`,
    text: `${name}\n${description}`,
    headLines: 2,
    fields: { name, title: '', description, parameters: '', server: 'a' },
  }))
  const bytes = Buffer.from(JSON.stringify(docs))
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  await session.api.catalog({ session: 's1', alias: 'a', docs: shared })
}

function searchTools(session: Harness, query: string) {
  return session.api.search({ session: 's1', queries: [query], source: 'mcp/', limit: 5, searchWaitMs: 0, deferring: true })
}

async function embedded(api: SessionApi): Promise<void> {
  for (let left = await api.status({}); left.pending + left.unembedded > 0; left = await api.status({})) await turn()
}

async function faultOf(session: Harness): Promise<void> {
  while (session.faults.length === 0) await turn()
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5))
}
