/** Two servers that give their URL elicitations the same ids: the client can tell them apart wherever they are named. */
import { afterEach, expect, it } from 'vitest'
import { fixture } from '../support/gateway.js'
import { Stage, type Transport } from '../support/raw-gateway.js'

const stage = new Stage()
afterEach(() => stage.close())

it.each<Transport>(['stdio', 'http'])('are told apart in requests, notifications and errors, over %s', async (over) => {
  const server = fixture('standing-server.js')
  const client = await stage.ready(over, { one: server, two: server, three: server }, SETTINGS)
  client.answerRequest = () => ({ result: { action: 'accept' } })
  for (const name of ['one', 'two', 'one']) {
    const params = { mode: 'url', elicitationId: 'e', url: 'http://127.0.0.1/', message: 'Sign in', 'x-more': 1 }
    await client.call(`${name}__ask`, { method: 'elicitation/create', params })
  }
  const asked = client.messages.filter(({ method }) => method === 'elicitation/create').map(({ params }) => params)
  expect(asked.map((params) => params?.['elicitationId'])).toEqual(['e', 'two/e', 'e'])
  expect(asked[1]).toMatchObject({ url: 'http://127.0.0.1/', 'x-more': 1 })

  for (const name of ['two', 'one', 'three']) {
    await client.call(`${name}__notify`, { method: COMPLETE, params: { elicitationId: 'e' } })
  }
  await client.seen(COMPLETE, 3)
  const completed = client.messages.filter(({ method }) => method === COMPLETE).map(({ params }) => params?.['elicitationId'])
  expect(completed).toEqual(['two/e', 'e', 'three/e'])

  const elicitations = [
    { mode: 'url', elicitationId: 'e', url: 'http://127.0.0.1/' },
    { elicitationId: 'own' },
    { mode: 'url' },
  ]
  const error = { code: -32042, message: 'Sign in first', data: { elicitations, more: [1] } }
  expect((await client.call('one__fail', { error })).error).toEqual(error)
  const [first, ...others] = elicitations
  expect((await client.call('three__fail', { error })).error).toEqual({
    ...error,
    data: {
      elicitations: [{ ...first, elicitationId: 'three/e' }, { elicitationId: 'three/own' }, ...others.slice(1)],
      more: [1],
    },
  })
  const other = { ...error, code: -32000, message: 'not -32042' }
  expect((await client.call('two__fail', { error: other })).error).toEqual(other)
})

// --- internal ---

const COMPLETE = 'notifications/elicitation/complete'
const SETTINGS = { naming: 'prefixed', context: { responses: { enabled: false } } }
