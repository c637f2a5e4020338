/** Results beyond the limit, and many clients that sleep and wake, on a real gateway. */
import { describe, expect, it, vi } from 'vitest'
import { callText, fixture, openHttpGateway, parseReceipt } from '../support/gateway.js'

describe('a gateway with a limit on messages', () => {
  it('tells the call whose result is above it, and everything else goes on', async () => {
    const gateway = await openHttpGateway({ content: fixture('content-server.js') }, { maxMessageBytes: 3_000_000 })
    const { client } = await gateway.connect()
    const { client: other } = await gateway.connect()
    const [refused, small, elsewhere] = await Promise.allSettled([
      callText(client, 'content__lines', { count: 400_000, word: 'far too many' }),
      callText(client, 'content__echo', { message: 'here' }),
      callText(other, 'content__echo', { message: 'there' }),
    ])
    expect(refused).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringMatching(/"content".*3000000.*maxMessageBytes/s) },
    })
    expect([small, elsewhere]).toMatchObject([{ value: 'here' }, { value: 'there' }])
    const receipt = parseReceipt(await callText(client, 'content__lines', { count: 40_000, word: 'fits' }))
    expect(receipt?.lines).toBe(40_000)
    await gateway.close()
  }, 60_000)
})

describe('clients over HTTP that do nothing for a while', () => {
  it('sleep, all of them, and wake with their own texts', async () => {
    const gateway = await openHttpGateway(
      { content: { ...fixture('content-server.js'), instances: 'shared' } },
      { hibernateAfter: 500, maxWorkers: 2 },
    )
    const words = Array.from({ length: 10 }, (_, n) => `own${'abcdefghij'[n]}`)
    const clients = await Promise.all(words.map(async () => (await gateway.connect()).client))
    await Promise.all(clients.map((client, n) => callText(client, 'content__lines', { count: 2_000, word: words[n] })))
    const health = new URL('/healthz', gateway.url)
    const threads = async () => ((await (await fetch(health)).json()) as { threads: number }).threads
    await vi.waitFor(async () => expect(await threads()).toBe(0), { timeout: 60_000, interval: 100 })
    const found = await Promise.all(clients.map((client) => callText(client, 'IndexSearch', { queries: words })))
    found.forEach((text, n) => {
      const seen = new Set([...text.matchAll(/line \d+ (own\w)/g)].map(([, word]) => word))
      expect([...seen]).toEqual([words[n]])
    })
    expect(await threads()).toBeLessThanOrEqual(2)
    await gateway.close()
  }, 120_000)
})
