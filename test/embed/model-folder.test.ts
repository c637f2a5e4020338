import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { findModel, listModels, modelFolder } from '../../src/embed/model-folder.js'
import { profileOf } from '../../src/embed/model-profile.js'
import { useLiteFiles } from '../../src/embed/use-lite.js'
import type { FetchProgress } from '../../src/protocol/vector-api.js'
import { createTestModels, type TestModels, writeFiles } from '../support/models.js'

const opened: (() => void)[] = []

afterEach(() => {
  for (const close of opened.splice(0)) close()
})

describe('a model on the hub', () => {
  it('is fetched once, file by file, and is for its owner only', async () => {
    const hub = await openHub(await useLiteFiles())
    const places = modelsOf(hub.url)
    const progress: FetchProgress[] = []
    const folder = await modelFolder('someone/model', places, (news) => progress.push(news))
    expect(folder.path).toBe(join(places.modelsDir, 'someone', 'model'))
    expect(folder.quantized).toBe(true)
    expect(statSync(join(folder.path, 'onnx', 'model_quantized.onnx')).mode & 0o777).toBe(0o600)
    const last = progress.at(-1)
    expect(last).toMatchObject({ file: 'onnx/model_quantized.onnx', bytes: last?.total })
    const asked = hub.asked.length
    expect(await modelFolder('someone/model', places)).toEqual(folder)
    expect(hub.asked.length).toBe(asked)
    expect(await listModels(places)).toEqual(['someone/model'])
  })

  it('is fetched by several at the same time, and all get the same folder', async () => {
    const places = modelsOf((await openHub(await useLiteFiles())).url)
    const folders = await Promise.all([1, 2, 3].map(() => modelFolder('someone/model', places)))
    expect(new Set(folders.map(({ path }) => path)).size).toBe(1)
    expect(readdirSync(join(places.modelsDir, 'someone'))).toEqual(['model'])
  })

  it('leaves nothing behind when it breaks off, and is fetched anew', async () => {
    const files = await useLiteFiles()
    const hub = await openHub(files, 'onnx/model_quantized.onnx')
    const places = modelsOf(hub.url)
    const failure = { code: 'VECTOR_MODEL', detail: expect.stringContaining('cannot be fetched') }
    await expect(modelFolder('someone/model', places)).rejects.toMatchObject(failure)
    expect(await listModels(places)).toEqual([])
    hub.mend()
    expect(await modelFolder('someone/model', places)).toMatchObject({ name: 'someone/model' })
  })

  it.each(['no/such', '../../etc/passwd', 'a/b/c', 'plain', '', 'a/..', '.a/b'])('is none: %j', async (name) => {
    const places = modelsOf((await openHub(new Map())).url)
    await expect(modelFolder(name, places)).rejects.toMatchObject({ code: 'VECTOR_MODEL' })
    expect(await listModels(places)).toEqual([])
  })
})

describe('a model on this machine', () => {
  it("is found in the user's folder, in the hub's cache, and by its path", async () => {
    const places = modelsOf()
    const cached = join(places.hubCache, 'models--someone--model', 'snapshots', 'abc')
    await writeFiles(cached, await useLiteFiles())
    expect((await findModel('someone/model', places))?.path).toBe(cached)
    expect((await findModel(cached, places))?.path).toBe(cached)
    mkdirSync(join(places.modelsDir, 'someone'), { recursive: true })
    await rename(cached, join(places.modelsDir, 'someone', 'model'))
    expect((await findModel('someone/model', places))?.path).toBe(join(places.modelsDir, 'someone', 'model'))
    expect(await findModel('someone/other', places)).toBeUndefined()
  })

  it('says what its folder lacks', async () => {
    const places = modelsOf()
    const files = await useLiteFiles()
    files.delete('tokenizer.json')
    await writeFiles(join(places.folder, 'half'), files)
    await expect(modelFolder(join(places.folder, 'half'), places)).rejects.toThrow('tokenizer.json is missing')
  })
})

describe('how a model wants to be used', () => {
  it('goes by its name, else by what its folder says', async () => {
    const places = modelsOf()
    expect(await profileOf('Xenova/multilingual-e5-small', places.folder)).toMatchObject({
      queryPrefix: 'query: ',
      latinOnly: false,
    })
    expect(await profileOf('Xenova/bge-small-en-v1.5', places.folder)).toMatchObject({ pooling: 'cls', latinOnly: true })
    expect(await profileOf('someone/unknown', places.folder)).toMatchObject({
      pooling: 'mean',
      queryPrefix: '',
      passagePrefix: '',
    })
    const said = new Map([
      ['1_Pooling/config.json', '{"pooling_mode_cls_token": true}'],
      ['config_sentence_transformers.json', '{"prompts": {"query": "Q: ", "document": "D: "}}'],
    ])
    await writeFiles(places.folder, said)
    expect(await profileOf('someone/unknown', places.folder)).toMatchObject({
      pooling: 'cls',
      queryPrefix: 'Q: ',
      passagePrefix: 'D: ',
    })
  })
})

function modelsOf(hubUrl?: string): TestModels {
  const models = createTestModels(hubUrl)
  opened.push(models.remove)
  return models
}

/** A hub with these files for `someone/model`; the broken one ends in its middle. */
async function openHub(files: ReadonlyMap<string, Buffer | string>, broken?: string) {
  let breaks = broken
  const asked: string[] = []
  const server: Server = createServer((request, response) => {
    const file = (request.url ?? '').replace('/someone/model/resolve/main/', '')
    asked.push(file)
    const content = files.get(file)
    if (content === undefined) return response.writeHead(404).end()
    const bytes = Buffer.from(content)
    response.writeHead(200, { 'content-length': bytes.length })
    if (file !== breaks) return response.end(bytes)
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push(() => server.close())
  const mend = () => {
    breaks = undefined
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, mend }
}
