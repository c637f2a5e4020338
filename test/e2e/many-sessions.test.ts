/** Sessions come and go; what they held goes with them. */
import { describe, expect, it } from 'vitest'
import { callText, fixture, openHttpGateway, parseReceipt } from '../support/gateway.js'
import { usageOf } from '../support/processes.js'

const SESSIONS = 60
const MEGABYTE_LINES = 65_000

describe.runIf(process.platform === 'linux')('a gateway', () => {
  it('is back where it was after sixty sessions of 1 MB each', async () => {
    const gateway = await openHttpGateway({ content: { ...fixture('content-server.js'), instances: 'shared' } })
    const oneSession = async () => {
      const { client, transport } = await gateway.connect()
      const receipt = await callText(client, 'content__lines', { count: MEGABYTE_LINES, word: 'some' })
      expect(parseReceipt(receipt)?.bytes).toBeGreaterThan(1_000_000)
      await callText(client, 'IndexSearch', { queries: ['some'] })
      await transport.terminateSession()
      await client.close()
    }
    for (let i = 0; i < 3; i++) await oneSession()
    await settled()
    const before = usageOf(gateway.pid)
    for (let i = 0; i < SESSIONS; i++) await oneSession()
    await settled()
    const after = usageOf(gateway.pid)
    await gateway.close()
    expect(after.threads).toBeLessThanOrEqual(before.threads * 1.3)
    expect(after.rssBytes).toBeLessThanOrEqual(before.rssBytes * 1.3)
  }, 180_000)
})

// --- internal ---

/** Threads end and memory is given back a little after the sessions. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2000))
}
