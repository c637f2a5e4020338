/** Subscriptions, log levels and tasks: of many sessions with one server, and of a server that may be stopped for idleness. */
import { afterEach, describe, expect, it } from 'vitest'
import { fixture, type ServerEntry } from '../support/gateway.js'
import type { RawClient, RawMessage } from '../support/raw-client.js'
import { Stage } from '../support/raw-gateway.js'

const SERVER = fixture('standing-server.js')
const UPDATED = 'notifications/resources/updated'
const stage = new Stage()
afterEach(() => stage.close())

/** So many clients that share one server. */
async function sharing(count: number): Promise<RawClient[]> {
  const open = await stage.httpGateway({ one: { ...SERVER, instances: 'shared' } })
  const clients = Array.from({ length: count }, open)
  for (const client of clients) await client.initialize()
  return clients
}

describe('sessions that share a server', () => {
  it('hold a subscription together, and it ends with the last of them', async () => {
    const [one, two] = (await sharing(2)) as [RawClient, RawClient]
    await subscribe(one, 'a')
    await subscribe(two, 'a')
    expect((await unsubscribe(one, 'a')).result).toEqual({})
    expect((await unsubscribe(one, 'a')).result).toEqual({})
    expect(await told(one)).not.toContain('-test://a')
    await update(one, 'a')
    await two.seen(UPDATED)
    expect((await unsubscribe(two, 'a')).result).toEqual({})
    expect(await told(one)).toContain('-test://a')
  })

  it('hear of what they subscribed to and its parts, and of nothing else', async () => {
    const [one, two] = (await sharing(2)) as [RawClient, RawClient]
    await subscribe(one, 'a')
    await subscribe(two, 'b')
    expect((await subscribe(two, 'refused')).error?.code).toBe(-32602)
    for (const name of ['a', 'ab', 'refused', 'b', 'a/part', 'b?x=1']) await update(one, name)
    await Promise.all([one.seen(UPDATED, 2), two.seen(UPDATED, 2)])
    expect(updates(one)).toEqual(['test://a', 'test://a/part'])
    expect(updates(two)).toEqual(['test://b', 'test://b?x=1'])
  })

  it('leave their subscriptions when they go', async () => {
    const [one, two] = (await sharing(2)) as [RawClient, RawClient]
    for (const name of ['a', 'b']) await subscribe(one, name)
    await subscribe(two, 'a')
    await one.close()
    await toldLast(two, '-test://b')
    expect(await told(two)).not.toContain('-test://a')
    await update(two, 'a')
    await two.seen(UPDATED)
  })

  it('have the most verbose of their log levels set, and each hears its own', async () => {
    const [strict, open, silent] = (await sharing(3)) as [RawClient, RawClient, RawClient]
    await setLevel(strict, 'error')
    await setLevel(open, 'debug')
    await setLevel(strict, 'critical')
    expect(await told(open)).toEqual(['error', 'debug', 'debug'])
    for (const level of ['info', 'error', 'x-odd', 'critical']) await log(open, level)
    await Promise.all([strict.seen(LOGGED, 2), open.seen(LOGGED, 4), silent.seen(LOGGED, 4)])
    expect(levels(strict)).toEqual(['x-odd', 'critical'])
    for (const client of [open, silent]) expect(levels(client)).toEqual(['info', 'error', 'x-odd', 'critical'])
    await open.close()
    await toldLast(strict, 'critical')
  })

  it('keep their log level when another one is refused', async () => {
    const [one, two] = (await sharing(2)) as [RawClient, RawClient]
    await setLevel(one, 'warning')
    expect((await one.ask('logging/setLevel', { level: 'refused' })).error?.code).toBe(-32602)
    await log(two, 'info')
    await log(two, 'warning')
    await one.seen(LOGGED)
    expect(levels(one)).toEqual(['warning'])
  })

  it('have all of it told once to a server that starts anew', async () => {
    const [one, two] = (await sharing(2)) as [RawClient, RawClient]
    for (const client of [one, two]) await subscribe(client, 'a')
    await setLevel(one, 'error')
    await setLevel(two, 'info')
    expect((await one.call('exit')).error?.code).toBe(-32000)
    expect(await told(two)).toEqual(['info', '+test://a'])
  })
})

describe('a server that is unused', () => {
  const idling = (one: ServerEntry = {}) => {
    const entry = { ...SERVER, idleTimeout: 300 }
    return stage.ready('stdio', { one: { ...entry, ...one }, two: entry }, PREFIXED)
  }

  it('is stopped only when the last subscription is gone', async () => {
    const client = await idling()
    await subscribe(client, 'a')
    await client.call('two__told')
    await isIdle(client, 'two')
    expect((await states(client)).get('one')).toBe('ready')
    await unsubscribe(client, 'a')
    await isIdle(client, 'one')
  })

  it('is stopped only when its tasks have ended', async () => {
    const client = await idling()
    await client.call('one__work', {}, { task: {} })
    await client.call('two__told')
    await isIdle(client, 'two')
    expect((await states(client)).get('one')).toBe('ready')
    expect((await client.ask('tasks/get', { taskId: '1' })).result?.['status']).toBe('working')
    await client.call('one__finish')
    await isIdle(client, 'one')
  })

  it('is stopped when the session that subscribed is gone', async () => {
    const open = await stage.httpGateway({ one: { ...SERVER, idleTimeout: 300, instances: 'shared' } })
    const [going, staying] = [open(), open()]
    for (const client of [going, staying]) await client.initialize()
    await subscribe(going, 'a')
    await going.close()
    await isIdle(staying, 'one')
  })
})

// --- internal ---

const LOGGED = 'notifications/message'
const PREFIXED = { naming: 'prefixed', context: { responses: { enabled: false } } }

const subscribe = (client: RawClient, name: string) => client.ask('resources/subscribe', { uri: `test://${name}` })
const unsubscribe = (client: RawClient, name: string) => client.ask('resources/unsubscribe', { uri: `test://${name}` })
const update = (client: RawClient, name: string) => notify(client, UPDATED, { uri: `test://${name}` })
const log = (client: RawClient, level: string) => notify(client, LOGGED, { level, data: level })
const notify = (client: RawClient, method: string, params: object) => client.call('notify', { method, params })

async function setLevel(client: RawClient, level: string): Promise<void> {
  expect((await client.ask('logging/setLevel', { level })).result).toEqual({})
}

function params(client: RawClient, method: string, member: string): unknown[] {
  return client.messages.filter((message) => message.method === method).map((message) => message.params?.[member])
}
const updates = (client: RawClient) => params(client, UPDATED, 'uri')
const levels = (client: RawClient) => params(client, LOGGED, 'level')

function textOf({ result }: RawMessage): string {
  const [first] = (result?.['content'] ?? result?.['contents'] ?? []) as { readonly text: string }[]
  return String(first?.text)
}

/** What the server was asked to go on doing. */
async function told(client: RawClient): Promise<string[]> {
  return JSON.parse(textOf(await client.call('told'))) as string[]
}

async function toldLast(client: RawClient, what: string): Promise<void> {
  while ((await told(client)).at(-1) !== what) await pause()
}

async function states(client: RawClient): Promise<Map<string, string>> {
  const { servers } = JSON.parse(textOf(await client.ask('resources/read', { uri: 'sluice://servers' }))) as {
    servers: { name: string; state: string }[]
  }
  return new Map(servers.map(({ name, state }) => [name, state]))
}

async function isIdle(client: RawClient, name: string): Promise<void> {
  while ((await states(client)).get(name) !== 'idle') await pause()
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}
