/** One scripted client plays the same to a server itself and through the gateway, and hears the same, to the byte. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listAll, playScript, type Step } from '../support/play-script.js'
import { CAPABILITIES, type RawClient, type RawMessage } from '../support/raw-client.js'
import { PATIENT_SETTINGS, Stage, type Transport } from '../support/raw-gateway.js'

const LISTS = [
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
] as const

interface Heard {
  readonly initialized: RawMessage['result']
  /** Methods, until the server has asked its first question. */
  readonly opening: readonly string[]
  readonly lists: readonly unknown[][]
  readonly steps: readonly Step[]
  readonly listsAfter: readonly unknown[][]
  readonly general: readonly string[]
}

const stage = new Stage()
afterEach(() => stage.close())

const through = async (over: Transport, behind: Transport) => stage.client(over, { complete: await stage.server(behind) })
const chained = async (over: Transport, between: Transport) =>
  stage.client(over, { inner: await stage.gateway(between, await stage.server('stdio')) }, PATIENT_SETTINGS)
const itself = async (over: Transport) => stage.direct(await stage.server(over))

describe('a client of the gateway hears what the server says', () => {
  let direct: Heard
  beforeAll(async () => {
    direct = await play(await itself('stdio'))
    await stage.close()
  })

  it.each<[string, () => Promise<RawClient>]>([
    ['over HTTP without the gateway', () => itself('http')],
    ['over stdio, of a server over stdio', () => through('stdio', 'stdio')],
    ['over stdio, of a server over HTTP', () => through('stdio', 'http')],
    ['over HTTP, of a server over stdio', () => through('http', 'stdio')],
    ['over HTTP, of a server over HTTP', () => through('http', 'http')],
    ['over stdio, with another gateway over stdio between', () => chained('stdio', 'stdio')],
    ['over HTTP, with another gateway over stdio between', () => chained('http', 'stdio')],
    ['over stdio, with another gateway over HTTP between', () => chained('stdio', 'http')],
  ])('%s', async (_, open) => {
    const heard = await play(await open())
    expect(heard.initialized).toEqual(direct.initialized)
    expect(heard.opening).toEqual(direct.opening)
    expect(heard.lists).toEqual(direct.lists)
    for (const [i, step] of heard.steps.entries()) expect.soft(step).toEqual(direct.steps[i])
    expect(heard.listsAfter).toEqual(direct.listsAfter)
  })

  it('over HTTP on the stream of the request it belongs to', async () => {
    const { general } = await play(await itself('http'))
    expect((await play(await through('http', 'http'))).general).toEqual(general)
  })
})

async function play(client: RawClient): Promise<Heard> {
  const more = { _meta: { 'x/i': 1 }, 'x-param': [1] }
  const { result: initialized } = await client.initialize(CAPABILITIES, more)
  await client.seen('roots/list')
  const opening = client.messages.map(({ method = 'an answer' }) => method)
  const lists = await listEverything(client)
  const steps = await playScript(client)
  const listsAfter = await listEverything(client)
  return { initialized, opening, lists, steps, listsAfter, general: [...client.general].sort() }
}

async function listEverything(client: RawClient): Promise<unknown[][]> {
  const lists: unknown[][] = []
  for (const [method, kind] of LISTS) lists.push(await listAll(client, method, kind))
  return lists
}
