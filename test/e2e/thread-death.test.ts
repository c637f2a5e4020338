/** A session's worker thread is killed: what it was asked fails with a code, what it held is said to be lost, the session goes on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callText, fixture, type HttpGateway, openHttpGateway, parseReceipt } from '../support/gateway.js'

describe.runIf(process.platform !== 'win32')('a session whose thread is killed', () => {
  let gateway: HttpGateway
  beforeAll(async () => {
    gateway = await openHttpGateway({ content: fixture('content-server.js') }, {}, { SLUICE_TEST_HOOKS: '1' })
  })
  afterAll(() => gateway.close())

  it('says what was lost, fails what was under way, and goes on', async () => {
    const { client } = await gateway.connect()
    const big = (count: number) => callText(client, 'content__lines', { count, word: 'some' })
    const lost = parseReceipt(await big(3000))?.label ?? ''

    // Large enough to be under way when the thread dies.
    const underWay = big(1_500_000).catch((error: Error & { data?: unknown }) => error)
    await new Promise((resolve) => setTimeout(resolve, 600))
    process.kill(gateway.pid, 'SIGUSR2')
    const failed = await underWay
    if (failed instanceof Error) expect(failed.data).toMatchObject({ code: 'ACTOR_DIED' })

    expect(await callText(client, 'content__echo', { message: 'here' })).toBe('here')
    const read = await client.callTool({ name: 'IndexRead', arguments: { label: lost } })
    expect(read.isError).toBe(true)
    expect(JSON.stringify(read.content)).toMatch(/lost/)

    const label = parseReceipt(await big(3000))?.label ?? ''
    expect(label).not.toBe(lost)
    expect(await callText(client, 'IndexRead', { label, limit: 1 })).toContain('1\tline 1 some')
    await client.close()
  })
})
