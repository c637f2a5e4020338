/** One scripted client plays the same to a server itself and through the gateway, and hears the same, to the byte. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CLI,
  createHome,
  fixture,
  type Home,
  type HttpGateway,
  isolatedEnv,
  openHttpGateway,
  type ServerEntry,
} from '../support/gateway.js'
import { type ListeningServer, listenHttp } from '../support/listening-server.js'
import { listAll, playScript, type Step } from '../support/play-script.js'
import { CAPABILITIES, RawClient, type RawMessage } from '../support/raw-client.js'
import { httpWire, type OpenWire, stdioWire } from '../support/raw-wire.js'

const SETTINGS = { naming: 'bare', context: { responses: { enabled: false } } }
const OVER_STDIO = fixture('complete-server.js')
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

describe('a client of the gateway hears what the server says', () => {
  let server: ListeningServer
  let direct: Heard
  const closing: (() => unknown)[] = []
  beforeAll(async () => {
    server = await listenHttp('complete-server.js', '--http')
    direct = await play(stdioWire(OVER_STDIO))
  })
  afterAll(async () => {
    for (const close of closing) await close()
    await server.close()
  })

  const gateway = async (upstream: ServerEntry): Promise<HttpGateway> => {
    const opened = await openHttpGateway({ complete: upstream }, SETTINGS)
    closing.push(() => opened.close())
    return opened
  }
  const stdioGateway = (upstream: ServerEntry): OpenWire => {
    const home: Home = createHome({ complete: upstream }, SETTINGS)
    closing.push(() => home.remove())
    return stdioWire({ command: process.execPath, args: [CLI, '--config', home.config] }, isolatedEnv(home.folder))
  }

  it.each<[string, () => Promise<OpenWire> | OpenWire]>([
    ['over HTTP without the gateway', () => httpWire(server.url)],
    ['over stdio, of a server over stdio', () => stdioGateway(OVER_STDIO)],
    ['over stdio, of a server over HTTP', () => stdioGateway({ url: server.url })],
    ['over HTTP, of a server over stdio', async () => httpWire((await gateway(OVER_STDIO)).url.href)],
    ['over HTTP, of a server over HTTP', async () => httpWire((await gateway({ url: server.url })).url.href)],
  ])('%s', async (_, open) => {
    const heard = await play(await open())
    expect(heard.initialized).toEqual(direct.initialized)
    expect(heard.opening).toEqual(direct.opening)
    expect(heard.lists).toEqual(direct.lists)
    for (const [i, step] of heard.steps.entries()) expect.soft(step).toEqual(direct.steps[i])
    expect(heard.listsAfter).toEqual(direct.listsAfter)
  })

  it('over HTTP on the stream of the request it belongs to', async () => {
    const itself = await play(httpWire(server.url))
    const through = await play(httpWire((await gateway({ url: server.url })).url.href))
    expect(through.general).toEqual(itself.general)
  })
})

async function play(open: OpenWire): Promise<Heard> {
  const client = new RawClient(open)
  try {
    const { result: initialized } = await client.initialize(CAPABILITIES, { _meta: { 'x/i': 1 }, 'x-param': [1] })
    await client.seen('roots/list')
    const opening = client.messages.map(({ method = 'an answer' }) => method)
    const lists = await listEverything(client)
    const steps = await playScript(client)
    const listsAfter = await listEverything(client)
    return { initialized, opening, lists, steps, listsAfter, general: [...client.general].sort() }
  } finally {
    await client.close()
  }
}

async function listEverything(client: RawClient): Promise<unknown[][]> {
  const lists: unknown[][] = []
  for (const [method, kind] of LISTS) lists.push(await listAll(client, method, kind))
  return lists
}
