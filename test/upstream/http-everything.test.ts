import { type ChildProcess, spawn } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { TestClient } from '../fixtures/http-recorder.js'

const SERVER = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'
const LOOPBACK = new URL('../../dist/test/fixtures/http-loopback.js', import.meta.url).href

let child: ChildProcess | undefined
let one: TestClient | undefined

afterEach(async () => {
  await one?.link.close()
  const ending = child && new Promise((resolve) => child?.once('exit', resolve))
  child?.kill('SIGKILL')
  await ending
})

/** Starts the server on a free port of 127.0.0.1. */
function everything(transport: 'streamableHttp' | 'sse'): Promise<number> {
  const up = spawn(process.execPath, ['--import', LOOPBACK, SERVER, transport], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child = up
  return new Promise((resolve, reject) => {
    let text = ''
    up.once('exit', () => reject(new Error(`the server ended: ${text}`)))
    up.stdout.on('data', (chunk) => {
      text += chunk
      const port = /PORT=(\d+)\n/.exec(text)
      if (port) resolve(Number(port[1]))
    })
  })
}

describe('a link to server-everything', () => {
  it.each([
    ['streamableHttp', 'http', '/mcp'],
    ['streamableHttp', 'auto', '/mcp'],
    ['sse', 'sse', '/sse'],
    ['sse', 'auto', '/sse'],
  ] as const)('over %s as %s lists, calls, and hears progress', async (transport, kind, path) => {
    const port = await everything(transport)
    one = new TestClient(`http://127.0.0.1:${port}${path}`, { kind })
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
