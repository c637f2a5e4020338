/** The gateway in front of other proxies and behind them: a client hears what it hears of them alone. */
import { afterEach, describe, expect, it } from 'vitest'
import type { ServerEntry } from '../support/gateway.js'
import { throughProxy, throughRemote } from '../support/other-proxies.js'
import { playScript, STEP_NAMES, type Step } from '../support/play-script.js'
import { CAPABILITIES, type RawClient } from '../support/raw-client.js'
import { PATIENT_SETTINGS, Stage } from '../support/raw-gateway.js'

const stage = new Stage()
afterEach(() => stage.close())

/** Without members of messages that JSON-RPC does not know: the SDK's transports, of which both proxies are made, refuse those. */
const server = (over: 'stdio' | 'http') => stage.server(over, '--strict')
const gateway = (behind: ServerEntry) => stage.client('stdio', { one: behind }, PATIENT_SETTINGS)

async function play(client: RawClient, names: readonly string[], asks = true): Promise<readonly Step[]> {
  client.odd = false
  await client.initialize(CAPABILITIES)
  if (asks) await client.seen('roots/list')
  client.taken()
  return playScript(client, names)
}

/** It sends what comes one after the other at the same time, so a server may hear it in another order. */
const UNORDERED = new Set([
  'progress on a server request',
  'and what was heard of it',
  'roots changed',
  'a notification nobody knows',
  'a notification without params',
  'what was heard of these',
  'a call cancelled',
  'what was heard of that',
])

describe('mcp-remote', () => {
  const names = STEP_NAMES.filter((name) => !UNORDERED.has(name))

  it('passes the same with the gateway in front of it, and behind it', async () => {
    const alone = await play(stage.direct(throughRemote(stage, await server('http'))), names)
    const inFront = await play(await gateway(throughRemote(stage, await server('http'))), names)
    for (const [at, step] of inFront.entries()) expect.soft(step).toEqual(alone[at])
    const behind = await play(stage.direct(throughRemote(stage, await stage.gateway('http', await server('stdio')))), names)
    for (const [at, step] of behind.entries()) expect.soft(step).toEqual(alone[at])
  })

  it.each([
    ['in front of it', async () => gateway(throughRemote(stage, await server('http')))],
    ['behind it', async () => stage.direct(throughRemote(stage, await stage.gateway('http', await server('stdio'))))],
  ])('passes a cancellation with the gateway %s', async (_, open) => {
    const client = await open()
    await play(client, [])
    await client.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'hang' } })
    await client.call('plain')
    await client.notify('notifications/cancelled', { requestId: 'slow', reason: 'too slow' })
    let heard = ''
    while (!heard.includes('too slow')) heard = JSON.stringify(await client.call('heard'))
    expect(heard).toContain('\\"requestId\\":\\"hang\\"')
  })
})

describe('mcp-proxy', () => {
  it('passes the same with the gateway in front of it, and behind it', async () => {
    const alone = await play(stage.direct(await throughProxy(stage, await server('stdio'))), PASSED, false)
    expect(alone.map(({ name }) => name)).toEqual(PASSED)
    const inFront = await play(await gateway(await throughProxy(stage, await server('stdio'))), PASSED, false)
    for (const [at, step] of inFront.entries()) expect.soft(step).toEqual(alone[at])
    const inner = await stage.gateway('stdio', await server('stdio'))
    const behind = await play(stage.direct(await throughProxy(stage, inner)), PASSED, false)
    for (const [at, step] of behind.entries()) expect.soft(step).toEqual(alone[at])
  })

  it('has no sampling for its servers, which the gateway behind it tells them', async () => {
    const inner = await stage.gateway('stdio', await server('stdio'))
    const client = stage.direct(await throughProxy(stage, inner))
    const asked = await play(client, ['sampling', 'elicitation by form'], false)
    for (const { frames } of asked) expect(frames).toEqual([expect.stringContaining('-32601')])
  })
})

/** What it passes: progress at times, no questions of servers, and it refuses results with content that it does not know. */
const PASSED = [
  'a call that fails',
  'the log level',
  'a call cancelled',
  'what was heard of that',
  'a resource',
  'a resource of a template',
  'a resource nobody listed',
  'a subscription',
  'an update',
  'its end',
  'a prompt',
  'a completion for a prompt',
  'a completion for a resource',
  'a method nobody knows',
  'changed lists',
]
