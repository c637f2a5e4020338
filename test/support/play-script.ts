/** The script of the differential test: all that a client can say to the complete server, and what it hears, step by step. */
import type { RawClient, RawMessage } from './raw-client.js'

export interface Step {
  readonly name: string
  /** Frames that belong to a request, in their order. */
  readonly frames: readonly string[]
  /** The others. */
  readonly asides: readonly string[]
}

type Play = (client: RawClient) => Promise<unknown>

/** Plays the steps, all or those of these names, and tells what came in each. */
export async function playScript(client: RawClient, names?: readonly string[]): Promise<Step[]> {
  const steps: Step[] = []
  client.answerRequest = answerRequest
  client.lastId = FIRST_ID
  for (const [name, play] of SCRIPT) {
    if (names && !names.includes(name)) continue
    await play(client)
    steps.push({ name, ...client.taken() })
  }
  return steps
}

/** Pages are joined: their sizes are not promised. */
export async function listAll(client: RawClient, method: string, kind: string): Promise<unknown[]> {
  const entries: unknown[] = []
  let cursor: unknown
  do {
    const { result = {} } = await client.ask(method, cursor === undefined ? undefined : { cursor })
    entries.push(...(result[kind] as unknown[]))
    cursor = result['nextCursor']
  } while (cursor !== undefined)
  client.taken()
  return entries
}

// --- internal ---

const FIRST_ID = 100
const META = { 'x/meta': { deep: [1, null] } }
const ask =
  (method: string, params: object): Play =>
  (client) =>
    client.call('ask', { method, params })

const SCRIPT: readonly (readonly [string, Play])[] = [
  ['ping', (client) => client.request('ping', undefined, 'ping-1')],
  ['a call', (client) => client.call('echo', { n: 1, s: '\u2028 é😀' }, { _meta: META, 'x-param': [1] })],
  ['a call with an empty _meta', (client) => client.call('echo', {}, { _meta: {} }, '')],
  ['a call without arguments', (client) => client.request('tools/call', { name: 'plain' }, 'id "quoted"')],
  ['a call that fails', (client) => client.call('fail')],
  ['progress with a string token', (client) => client.call('progress', {}, { _meta: { ...META, progressToken: 'tok-1' } })],
  ['progress with a number token', (client) => client.call('progress', {}, { _meta: { progressToken: 0 } })],
  ['a token like an id', (client) => client.call('progress', {}, { _meta: { progressToken: 3 } }, 2)],
  ['the log level', (client) => client.request('logging/setLevel', { level: 'debug', _meta: META })],
  ['a log message', (client) => client.call('notify', message('log'))],
  ['a server notification nobody knows', (client) => client.call('notify', { method: 'x/note', params: { a: [1] } })],
  ['a server notification without params', (client) => client.call('notify', { method: 'notifications/x' })],
  ['sampling', ask('sampling/createMessage', { messages: [], maxTokens: 1, tools: [{ name: 't' }], _meta: META, x: 1 })],
  ['sampling refused', ask('sampling/createMessage', { messages: [], maxTokens: 1, refuse: true })],
  ['elicitation by form', ask('elicitation/create', { message: 'Who?', requestedSchema: { type: 'object' } })],
  ['elicitation declined', ask('elicitation/create', { message: 'No?', decline: true })],
  ['elicitation refused', ask('elicitation/create', { message: 'No?', refuse: true })],
  [
    'elicitation by URL',
    ask('elicitation/create', { mode: 'url', url: 'https://a.test/', elicitationId: 'e1', message: 'Go' }),
  ],
  ['its completion', (client) => client.call('notify', message('notifications/elicitation/complete'))],
  ['roots', ask('roots/list', { _meta: META })],
  ['roots refused', ask('roots/list', { refuse: true })],
  ['a server request nobody knows', ask('x/question', { of: 'all' })],
  ['the ping of a server', ask('x/ping', {})],
  ['progress on a server request', ask('sampling/createMessage', { slow: true, _meta: { ...META, progressToken: 'srv' } })],
  ['and what was heard of it', (client) => client.call('heard')],
  ['a server request taken back', (client) => client.call('ask-and-cancel', { params: { silent: true } })],
  ['roots changed', (client) => client.notify('notifications/roots/list_changed', { _meta: META })],
  ['a notification nobody knows', (client) => client.notify('x/told', { a: 1, b: [{}] })],
  ['a notification without params', (client) => client.notify('x/bare')],
  ['what was heard of these', (client) => client.call('heard')],
  ['a call cancelled', cancelledCall],
  ['what was heard of that', (client) => client.call('heard')],
  ['a resource', (client) => client.request('resources/read', { uri: 'test://a', _meta: META, x: 1 })],
  ['a resource of a template', (client) => client.request('resources/read', { uri: 'test://t/7' })],
  ['a resource nobody listed', (client) => client.request('resources/read', { uri: 'other://x' })],
  ['a subscription', (client) => client.request('resources/subscribe', { uri: 'test://a' })],
  ['an update', updated],
  ['its end', (client) => client.request('resources/unsubscribe', { uri: 'test://a' })],
  ['a prompt', (client) => client.request('prompts/get', { name: 'p1', arguments: { a: 'x' }, _meta: META })],
  [
    'a completion for a prompt',
    (client) => client.request('completion/complete', completion({ type: 'ref/prompt', name: 'p1' })),
  ],
  ['a completion for a resource', (client) => client.request('completion/complete', completion(TEMPLATE_REF))],
  ['a method nobody knows', (client) => client.request('x/method', { a: { b: 1 }, _meta: META })],
  ['one without params', (client) => client.request('x/method')],
  ['one that is refused', (client) => client.request('x/refused', { name: 'nobody' })],
  ['a task', task],
  ['its state', (client) => client.request('tasks/get', { taskId: 'task-1' })],
  ['its result, which asks', (client) => client.request('tasks/result', { taskId: 'task-1', _meta: META })],
  ['all tasks', (client) => client.request('tasks/list', {})],
  ['its cancellation', (client) => client.request('tasks/cancel', { taskId: 'task-1', x: 1 })],
  ['changed lists', changedLists],
]

/** In the order they are played. */
export const STEP_NAMES = SCRIPT.map(([name]) => name)

const TEMPLATE_REF = { type: 'ref/resource', uri: 'test://t/{id}', x: 1 }

function completion(ref: object): object {
  return { ref, argument: { name: 'a', value: 'b' }, context: { arguments: { c: 'd' } } }
}

function message(name: string): object {
  if (name !== 'log') return { method: name, params: { elicitationId: 'e1', x: 1 } }
  return { method: 'notifications/message', params: { level: 'info', logger: 'l', data: { a: [1] }, _meta: META, x: 1 } }
}

async function cancelledCall(client: RawClient): Promise<void> {
  await client.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'hang' } })
  // Over HTTP a cancellation might overtake its call otherwise.
  await client.call('plain')
  await client.notify('notifications/cancelled', { requestId: 'slow', reason: 'too slow', _meta: META, x: 1 })
}

async function updated(client: RawClient): Promise<void> {
  const params = { uri: 'test://a', _meta: META, x: 1 }
  await client.call('notify', { method: 'notifications/resources/updated', params, aside: true })
  await client.seen('notifications/resources/updated')
}

async function task(client: RawClient): Promise<void> {
  await client.call('task', {}, { task: { ttl: 60000, x: 1 }, _meta: { progressToken: 'task-token' } })
  await client.seen('notifications/progress')
  await client.seen('notifications/tasks/status')
}

async function changedLists(client: RawClient): Promise<void> {
  await client.call('change')
  for (const kind of ['tools', 'resources', 'prompts']) await client.seen(`notifications/${kind}/list_changed`)
}

async function answerRequest({ method, params = {} }: RawMessage, client: RawClient): Promise<object | undefined> {
  if (params['silent']) return undefined
  if (params['refuse']) return { error: { code: -1, message: 'User rejected', data: { by: 'hand' }, x: 1 }, 'x-top': 1 }
  if (params['slow']) {
    const progressToken = (params['_meta'] as Record<string, unknown>)['progressToken']
    await client.notify('notifications/progress', { progressToken, progress: 1, message: 'thinking', x: 1 })
  }
  if (method === 'elicitation/create') {
    return { result: params['decline'] ? { action: 'decline', x: 1 } : { action: 'accept', content: { a: 1 }, _meta: META } }
  }
  if (method === 'roots/list') return { result: { roots: [{ uri: 'file:///a', name: 'a', x: 1 }], _meta: META } }
  return { result: { role: 'assistant', content: [{ type: 'x-new', n: 1 }], model: 'm', echoed: method }, 'x-top': 2 }
}
