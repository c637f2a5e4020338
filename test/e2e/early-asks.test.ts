/** What a client asks before the servers that it means have shown what they have. */
import { afterEach, expect, it } from 'vitest'
import { fixture } from '../support/gateway.js'
import { PLAIN_SETTINGS, Stage } from '../support/raw-gateway.js'

const SETTINGS = { ...PLAIN_SETTINGS, initWait: 50 }
const stage = new Stage()
afterEach(() => stage.close())

it('a call waits for a server that has answered initialize and not listed its tools yet', async () => {
  const client = await stage.ready('stdio', { one: fixture('wayward-server.js', '--list-delay', '2000') }, SETTINGS)
  const servers = async () => JSON.stringify(await client.ask('resources/read', { uri: 'sluice://servers' }))
  let now = await servers()
  while (!now.includes('2025-11-25')) now = await servers()
  expect(now).toContain('starting')
  expect((await client.call('echo')).error).toEqual({ code: -32601, message: 'no tools/call' })
})

it('a completion waits for the server of the resource it refers to', async () => {
  const slow = fixture('wayward-server.js', '--start-delay', '500')
  const client = await stage.ready('stdio', { one: slow, two: slow }, SETTINGS)
  const params = { ref: { type: 'ref/resource', uri: 'test://a' }, argument: { name: 'x', value: '' } }
  expect((await client.ask('completion/complete', params)).error).toEqual({ code: -32601, message: 'no completion/complete' })
})

it.each(['tools/list', 'prompts/list', 'tools/call', 'resources/read', 'nobody/knows'])(
  '%s before initialize is refused, and the session goes on',
  async (method) => {
    const client = await stage.client('stdio', { one: fixture('wayward-server.js') }, PLAIN_SETTINGS)
    expect((await client.ask(method, { name: 'x', uri: 'a://b' })).error?.message).toContain('initialize')
    expect((await client.initialize()).result).toBeDefined()
    expect((await client.ask('tools/list')).result).toBeDefined()
  },
)
