/** What goes wrong, or on at the same time, between clients and servers, with the gateway between them. */
import { afterEach, describe, expect, it } from 'vitest'
import { fixture } from '../support/gateway.js'
import type { RawClient, RawMessage } from '../support/raw-client.js'
import { Stage, type Transport } from '../support/raw-gateway.js'

const WAYS: readonly (readonly [client: Transport, server: Transport])[] = [
  ['stdio', 'stdio'],
  ['http', 'http'],
  ['stdio', 'http'],
  ['http', 'stdio'],
]

const stage = new Stage()
afterEach(() => stage.close())

const ready = async (client: Transport, server: Transport) => stage.ready(client, { one: await stage.server(server) })

describe.each(WAYS)('a client over %s of a server over %s', (over, behind) => {
  it('cancels one of two slow calls and gets the answer to the other', async () => {
    const client = await ready(over, behind)
    const kept = client.call('wait', { call: 'kept' }, {}, 'kept')
    await client.send({ jsonrpc: '2.0', id: 'dropped', method: 'tools/call', params: { name: 'wait', arguments: {} } })
    await client.call('plain')
    await client.notify('notifications/cancelled', { requestId: 'dropped' })
    expect(await heard(client)).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: 'wait' } }])
    await client.notify('x/go')
    expect(textOf(await kept)).toBe('waited {"call":"kept"}')
    await client.call('plain')
    expect(client.messages.filter(({ id }) => id === 'dropped')).toEqual([])
  })

  it('gets the answer although the server asks under the id of the very call', async () => {
    const client = await ready(over, behind)
    client.answerRequest = ({ id }) => ({ result: { asked: id } })
    await client.seen('roots/list')
    for (const id of [0, 1, 2, 3, 'ask-1', 'ask-3']) {
      const answer = await client.call('ask', { method: 'sampling/createMessage', params: {} }, {}, id)
      expect(answer.id).toBe(id)
      expect(JSON.parse(textOf(answer))).toMatchObject({ result: { asked: expect.anything() } })
    }
  })

  it('may decline an elicitation, and the server learns that it did', async () => {
    const client = await ready(over, behind)
    client.answerRequest = () => ({ result: { action: 'decline' } })
    const answer = await client.call('ask', { method: 'elicitation/create', params: { message: 'Really?' } })
    expect(JSON.parse(textOf(answer))).toEqual({ jsonrpc: '2.0', result: { action: 'decline' } })
  })

  it('never answers, and only the call that waits for it does wait', async () => {
    const client = await ready(over, behind)
    await client.send({
      jsonrpc: '2.0',
      id: 'stuck',
      method: 'tools/call',
      params: { name: 'ask', arguments: { method: 'sampling/createMessage', params: {} } },
    })
    await client.seen('sampling/createMessage')
    expect(textOf(await client.call('progress'))).toBe('done')
    await client.notify('notifications/cancelled', { requestId: 'stuck', reason: 'bored' })
    expect(await heard(client)).toMatchObject([{ params: { requestId: 'ask', reason: 'bored' } }])
  })

  it('does not hear of progress that comes after the answer, and the next call is none the worse', async () => {
    const client = await ready(over, behind)
    const more = { _meta: { progressToken: 'late' } }
    expect(textOf(await client.call('late-progress', {}, more))).toBe('answered')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(textOf(await client.call('progress', {}, more))).toBe('done')
    expect(client.messages.filter(({ method }) => method === 'notifications/progress')).toHaveLength(3)
  })

  it('gets a notification of 60 MB, whole and before the answer that follows it', async () => {
    const client = await ready(over, behind)
    client.messages.length = 0
    const bytes = 60_000_000
    await client.call('huge', { bytes })
    const [notification, answer] = client.messages.filter(({ method }) => method !== 'roots/list')
    expect(String(notification?.params?.['data']).length).toBe(bytes)
    expect(textOf(answer ?? {})).toBe('sent')
  })

  it('gets progress too large to be parsed on the way, under its own token', async () => {
    const client = await ready(over, behind)
    await client.call('huge', { bytes: 100_000, as: 'progress' }, { _meta: { progressToken: 'mine' } })
    const progress = client.messages.find(({ method }) => method === 'notifications/progress')
    expect(progress?.params).toMatchObject({ progressToken: 'mine', progress: 1 })
  })

  it('has an error at once for a server that asks what it cannot do', async () => {
    const client = await stage.client(over, { one: await stage.server(behind) })
    await client.initialize({})
    for (const method of ['sampling/createMessage', 'elicitation/create', 'roots/list']) {
      const { error } = JSON.parse(textOf(await client.call('ask', { method, params: {} }))) as RawMessage
      expect(error?.code).toBe(-32601)
    }
    expect(client.messages.filter(({ method }) => method !== undefined)).toEqual([])
  })
})

describe('three servers that sample at the same time', () => {
  it.each<Transport>(['stdio', 'http'])('each get their own answer, over %s', async (over) => {
    const names = ['a', 'b', 'c']
    const servers = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await stage.server('stdio')] as const)),
    )
    const client = await stage.ready(over, servers, { naming: 'prefixed', context: { responses: { enabled: false } } })
    await client.seen('roots/list', 3)
    const asked: RawMessage[] = []
    client.answerRequest = async (message, me) => {
      asked.push(message)
      if (asked.length < names.length) return undefined
      for (const { id, params } of asked.reverse()) await me.send({ jsonrpc: '2.0', id, result: { to: params?.['from'] } })
      return undefined
    }
    const calls = names.map((name) => client.call(`${name}__ask`, { method: 'sampling/createMessage', params: { from: name } }))
    for (const [i, answer] of (await Promise.all(calls)).entries()) {
      expect(JSON.parse(textOf(answer))).toEqual({ jsonrpc: '2.0', result: { to: names[i] } })
    }
  })
})

describe('a client that goes', () => {
  it('has its calls cancelled at a server that it shares with others', async () => {
    const open = await stage.httpGateway({ one: { ...(await stage.server('stdio')), instances: 'shared' } })
    const [going, staying] = [open(), open()]
    await going.initialize()
    await staying.initialize()
    await staying.send({ jsonrpc: '2.0', id: 'kept', method: 'tools/call', params: { name: 'wait' } })
    await going.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hang' } })
    await going.call('plain', {}, {}, 2)
    await going.close()
    expect(await heard(staying)).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: 'hang' } }])
  })
})

describe('two requests under one id', () => {
  it('have one answer, that to the first, and the second is not carried out', async () => {
    const client = await ready('stdio', 'stdio')
    const first = client.call('wait', { call: 'first' }, {}, 'twin')
    await client.send({ jsonrpc: '2.0', id: 'twin', method: 'tools/call', params: { name: 'wait', arguments: {} } })
    await client.call('plain')
    await client.notify('x/go')
    expect(textOf(await first)).toBe('waited {"call":"first"}')
    await client.call('plain')
    expect(client.messages.filter(({ id, method }) => id === 'twin' && method === undefined)).toHaveLength(1)
    expect(textOf(await client.call('wait', { call: 'next' }, {}, 'twin'))).toBe('waited {"call":"next"}')
  })
})

describe('the only server with bare names', () => {
  it.each(WAYS)('answers for names that nobody lists itself, client over %s, server over %s', async (over, behind) => {
    const server = await stage.server(behind)
    const [direct, through] = [stage.direct(server), await stage.client(over, { one: server })]
    await direct.initialize()
    await through.initialize()
    const requests: [string, object][] = [
      ['tools/call', { name: 'no-such.tool', arguments: { a: 1 }, x: 1 }],
      ['tools/call', { name: 'one__plain', arguments: {} }],
      ['prompts/get', { name: 'no-such-prompt', x: 1 }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'no-such-prompt' }, argument: { name: 'a', value: 'b' } }],
    ]
    for (const [id, [method, params]] of requests.entries()) {
      const answer = (client: RawClient) => client.request(method, params, `unknown-${id}`)
      expect(withoutToken(await answer(through))).toBe(withoutToken(await answer(direct)))
    }
  })
})

describe('servers that do not log', () => {
  it('are not said to have taken a log level', async () => {
    const client = await stage.ready('stdio', { one: fixture('content-server.js') })
    expect((await client.ask('logging/setLevel', { level: 'info' })).error?.code).toBe(-32601)
  })
})

describe('over HTTP on both sides', () => {
  it('a question of the server comes on the stream of the call that caused it', async () => {
    const client = await ready('http', 'http')
    await client.seen('roots/list')
    client.messages.length = 0
    const answers: (() => void)[] = []
    client.answerRequest = async () => {
      await new Promise<void>((resolve) => answers.push(resolve))
      return { result: {} }
    }
    const calls = [1, 2, 3].map((n) => client.call('ask', { method: 'sampling/createMessage', params: { n } }, {}, `call-${n}`))
    await client.seen('sampling/createMessage', 3)
    for (const message of client.messages) expect(client.sources.get(message)).toContain(`"id":"call-${message.params?.['n']}"`)
    for (const answer of answers) answer()
    await Promise.all(calls)
  })

  it('a cancelled call leaves no connection open to the server', async () => {
    const client = await ready('http', 'http')
    await client.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'hang' } })
    await client.call('plain')
    await client.notify('notifications/cancelled', { requestId: 'slow' })
    while (textOf(await client.call('closed')) !== '1') await new Promise((resolve) => setTimeout(resolve, 10))
  })
})

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

describe.each(REVISIONS)('a client of revision %s', (protocolVersion) => {
  it.each(REVISIONS)('works with a server of revision %s, each in its own', async (revision) => {
    const client = await stage.client('http', { one: await stage.server('http', '--revision', revision) })
    client.answerRequest = () => ({ result: { roots: [] } })
    const { result } = await client.initialize(undefined, { protocolVersion })
    expect(result?.['protocolVersion']).toBe(protocolVersion)
    expect(textOf(await client.call('revision'))).toBe(revision)
    const answer = await client.call('ask', { method: 'roots/list', params: {} })
    expect(JSON.parse(textOf(answer))).toMatchObject({ result: { roots: [] } })
  })
})

// --- internal ---

function textOf({ result }: RawMessage): string {
  const [first] = (result?.['content'] ?? []) as { readonly text?: string }[]
  return String(first?.text)
}

/** The server says what it was asked, and the token is the gateway’s. */
function withoutToken(frame: string): string {
  return frame.replace(/,?\\?"_meta\\?":\{\\?"progressToken\\?":[^}]*\}/, '')
}

/** What the server has heard of late. */
async function heard(client: RawClient): Promise<RawMessage[]> {
  return JSON.parse(textOf(await client.call('heard'))) as RawMessage[]
}
