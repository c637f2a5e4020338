/** Two clients over HTTP at once: their labels, sources and servers never meet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callText, fixture, type HttpGateway, openHttpGateway, parseReceipt } from '../support/gateway.js'

describe('two sessions of one gateway', () => {
  let gateway: HttpGateway
  beforeAll(async () => {
    gateway = await openHttpGateway({ content: fixture('content-server.js') })
  })
  afterAll(() => gateway.close())

  it('never give a label twice, and neither reads nor finds what is the other one’s', async () => {
    const [a, b] = await Promise.all([gateway.connect(), gateway.connect()])
    const big = (client: typeof a.client, word: string) => callText(client, 'content__lines', { count: 3000, word })
    const receipts = await Promise.all([
      big(a.client, 'apple'),
      big(b.client, 'banana'),
      big(a.client, 'apricot'),
      big(b.client, 'blueberry'),
    ])
    const labels = receipts.map((receipt) => parseReceipt(receipt)?.label ?? '')
    expect(new Set(labels).size).toBe(4)
    const [ofA = '', ofB = ''] = labels

    expect(await callText(a.client, 'IndexRead', { label: ofA, limit: 1 })).toContain('line 1 apple')
    const foreign = await a.client.callTool({ name: 'IndexRead', arguments: { label: ofB } })
    expect(foreign.isError).toBe(true)
    expect(JSON.stringify(foreign.content)).not.toContain('banana')
    expect(await callText(a.client, 'IndexSearch', { queries: ['banana'] })).not.toMatch(/line \d+ banana/)
    expect(await callText(b.client, 'IndexSearch', { queries: ['banana'] })).toMatch(/line \d+ banana/)
    await expect(a.client.readResource({ uri: `sluice://response/${ofB}` })).rejects.toThrow(/not found/i)
    await Promise.all([a.client.close(), b.client.close()])
  })

  it('go on without each other', async () => {
    const [a, b] = await Promise.all([gateway.connect(), gateway.connect()])
    await a.transport.terminateSession()
    await a.client.close()
    expect(await callText(b.client, 'content__echo', { message: 'still here' })).toBe('still here')
    await b.client.close()
  })
})
