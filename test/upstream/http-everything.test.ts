import { afterEach, describe, expect, it } from 'vitest'
import { TestClient } from '../fixtures/http-recorder.js'
import { type ListeningServer, listenEverything } from '../support/listening-server.js'

let server: ListeningServer | undefined
let one: TestClient | undefined

afterEach(async () => {
  await one?.link.close()
  await server?.close()
})

describe('a link to server-everything', () => {
  it.each([
    ['streamableHttp', 'http'],
    ['streamableHttp', 'auto'],
    ['sse', 'sse'],
    ['sse', 'auto'],
  ] as const)('over %s as %s lists, calls, and hears progress', async (transport, kind) => {
    server = await listenEverything(transport)
    one = new TestClient(server.url, { kind })
    expect(await one.connect()).toMatchObject({ serverInfo: { name: expect.stringContaining('everything') } })
    const { result } = (await one.call('tools/list')) as { result: { tools: unknown[] } }
    expect(result.tools.length).toBeGreaterThan(5)
    expect(await one.call('tools/call', { name: 'echo', arguments: { message: 'hi' } })).toMatchObject({
      result: { content: [{ text: 'Echo: hi' }] },
    })
    await one.call('tools/call', {
      name: 'trigger-long-running-operation',
      arguments: { duration: 0.2, steps: 4 },
      _meta: { progressToken: 'p' },
    })
    await one.recorder.notification('notifications/progress')
    expect(one.recorder.told.failed.size).toBe(0)
  })
})
