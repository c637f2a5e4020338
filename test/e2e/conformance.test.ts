/** The conformance suite of the MCP project, against servers themselves and through the gateway: nothing that passed is lost. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passed, runConformance, type Verdicts } from '../support/conformance.js'
import { fixture, openHttpGateway, type ServerEntry } from '../support/gateway.js'
import { type ListeningServer, listenEverything, listenHttp } from '../support/listening-server.js'

/** As little as possible between client and server. */
const OFF = { naming: 'bare', context: { responses: { enabled: false } } }
const ON = { naming: 'bare' }
const OVER_STDIO = fixture('conformance-server.js')

describe('the conformance suite', () => {
  let server: ListeningServer
  let direct: Verdicts
  beforeAll(async () => {
    server = await listenHttp('conformance-server.js', '--http')
    direct = await runConformance(server.url)
  })
  afterAll(() => server.close())

  it('passes against the server itself', () => {
    expect(passed(direct).length).toBeGreaterThanOrEqual(44)
  })

  it.each<[string, object, () => ServerEntry]>([
    ['a server over stdio', OFF, () => OVER_STDIO],
    ['a server over HTTP', OFF, () => ({ url: server.url })],
    ['a server over stdio, its responses indexed', ON, () => OVER_STDIO],
  ])(
    'passes as well through the gateway, for %s',
    async (_, settings, entry) => {
      expect(await lostThrough(entry(), settings, direct)).toEqual([])
    },
    120_000,
  )
})

describe('the conformance suite with the reference server', () => {
  let server: ListeningServer
  beforeAll(async () => {
    server = await listenEverything('streamableHttp')
  })
  afterAll(() => server.close())

  it('passes through the gateway as far as it does directly', async () => {
    const direct = await runConformance(server.url)
    expect(passed(direct).length).toBeGreaterThanOrEqual(13)
    expect(await lostThrough({ url: server.url }, OFF, direct)).toEqual([])
  }, 120_000)
})

// --- internal ---

/** The checks that pass directly and not through the gateway, with how they went. */
async function lostThrough(entry: ServerEntry, settings: object, direct: Verdicts): Promise<string[]> {
  const gateway = await openHttpGateway({ conformance: entry }, settings)
  try {
    const through = await runConformance(gateway.url.href)
    const lost = passed(direct).filter((check) => through.get(check) !== 'SUCCESS')
    return lost.map((check) => `${check}: ${through.get(check)}`)
  } finally {
    await gateway.close()
  }
}
