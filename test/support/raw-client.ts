/** A client of plain JSON-RPC over any wire. It remembers each frame, ids of server requests taken out, in the order they came. */
import type { OpenWire, Wire } from './raw-wire.js'

export type RawId = string | number

export interface RawMessage {
  readonly id?: RawId
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Answers a request of the server's: the members of the answer; undefined for none. */
export type AnswerRequest = (message: RawMessage, client: RawClient) => object | undefined | Promise<object | undefined>

export const CAPABILITIES = {
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
  tasks: { list: {} },
  experimental: { 'x/c': { deep: 1 } },
}

/** They belong to no request, so their place among the others is nobody's promise. */
const ASIDE = /^notifications\/(?:.*list_changed|resources\/updated|tasks\/status)$/
const SERVER_ID = /^\{"jsonrpc":"2\.0","id":[^,]+,/
const SERVER_TOKEN = /"progressToken":(?:"[^"]*"|\d+)/
const LIMIT_MS = 30_000

export class RawClient {
  /** Frames in the order they came, since the last `taken`. */
  readonly frames: string[] = []
  readonly asides: string[] = []
  readonly messages: RawMessage[] = []
  /** Methods of what came on the stream that belongs to no request. */
  readonly general = new Set<string>()
  /** Over HTTP: the request on whose stream a message came. */
  readonly sources = new WeakMap<RawMessage, string>()
  /** Whether messages have members that JSON-RPC does not know; SDK transports refuse those. */
  odd = true
  answerRequest: AnswerRequest = () => undefined
  /** The id of the last request whose caller gave none. */
  lastId = -1
  readonly #wire: Wire
  readonly #limitMs: number
  readonly #waiting = new Map<string, (frame: string) => void>()
  readonly #watchers = new Set<() => void>()

  /** @param limitMs how long it waits for anything */
  constructor(open: OpenWire, limitMs = LIMIT_MS) {
    this.#limitMs = limitMs
    this.#wire = open((frame, source) => void this.#heard(frame, source))
  }

  async initialize(capabilities: object = CAPABILITIES, more: object = {}): Promise<RawMessage> {
    const clientInfo = { name: 'raw', version: '1', title: 'Raw', 'x-info': 1 }
    const answer = await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo, ...more })
    await this.notify('notifications/initialized')
    await this.#wire.listen()
    return answer
  }

  /** The answer's own bytes. */
  async request(method: string, params?: object, id: RawId = ++this.lastId): Promise<string> {
    const answered = new Promise<string>((resolve) => this.#waiting.set(JSON.stringify(id), resolve))
    await this.send({ jsonrpc: '2.0', id, method, params, ...(this.odd && { 'x-top': { of: method } }) })
    return within(answered, `an answer to ${method}`, this.#limitMs)
  }

  async ask(method: string, params?: object, id?: RawId): Promise<RawMessage> {
    return JSON.parse(await this.request(method, params, id)) as RawMessage
  }

  call(name: string, args: object = {}, more: object = {}, id?: RawId): Promise<RawMessage> {
    return this.ask('tools/call', { name, arguments: args, ...more }, id)
  }

  notify(method: string, params?: object): Promise<void> {
    return this.send({ jsonrpc: '2.0', method, params, ...(this.odd && { 'x-top': 1 }) })
  }

  send(message: object): Promise<void> {
    return this.#wire.send(JSON.stringify(message))
  }

  /** Waits for so many messages of a method. */
  seen(method: string, times = 1): Promise<void> {
    const holds = () => this.messages.filter((message) => message.method === method).length >= times
    const seen = new Promise<void>((resolve) => {
      const watch = () => {
        if (!holds()) return
        this.#watchers.delete(watch)
        resolve()
      }
      this.#watchers.add(watch)
      watch()
    })
    return within(seen, `${times} of ${method}`, this.#limitMs)
  }

  /** What came since the last time. */
  taken(): { frames: string[]; asides: string[] } {
    this.messages.length = 0
    return { frames: this.frames.splice(0), asides: this.asides.splice(0).sort() }
  }

  close(): Promise<void> {
    return this.#wire.close()
  }

  // --- internal ---

  async #heard(frame: string, source: string | undefined): Promise<void> {
    const message = JSON.parse(frame) as RawMessage
    this.messages.push(message)
    if (source === '') this.general.add(message.method ?? 'an answer')
    if (source) this.sources.set(message, source)
    this.#remember(frame, message)
    for (const watch of [...this.#watchers]) watch()
    if (message.method === undefined) this.#waiting.get(JSON.stringify(message.id))?.(frame)
    else if (message.id !== undefined) await this.#answer(message)
  }

  #remember(frame: string, { id, method }: RawMessage): void {
    if (method === undefined) this.frames.push(frame)
    else if (id !== undefined) this.frames.push(frame.replace(SERVER_ID, '{#').replace(SERVER_TOKEN, '"progressToken":#'))
    else if (method === 'notifications/cancelled') this.frames.push(frame.replace(/"requestId":[^,}]+/, '"requestId":#'))
    else (ASIDE.test(method) ? this.asides : this.frames).push(frame)
  }

  async #answer(message: RawMessage): Promise<void> {
    const answer = await this.answerRequest(message, this)
    if (answer) await this.send({ jsonrpc: '2.0', id: message.id, ...(this.odd ? answer : withoutOdd(answer)) })
  }
}

// --- internal ---

function withoutOdd(answer: object): object {
  return Object.fromEntries(Object.entries(answer).filter(([key]) => !key.startsWith('x-')))
}

async function within<T>(promise: Promise<T>, what: string, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come`)), limitMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
