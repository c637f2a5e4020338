/** A small gateway for transport tests: sessions that answer `initialize`, `ping` and a few tools, and that a test can drive by hand. */
import type { ClientPort, ClientSession, RequestKey, SessionFacts, SessionHost } from '../../src/gateway/port.js'
import { errorFrame, notificationFrame, requestFrame, resultFrame } from '../../src/protocol/frame.js'
import { asRecord, type Incoming, isRequest, isResponse, type JsonRpcRequest, RPC } from '../../src/protocol/messages.js'

export class EchoHost implements SessionHost {
  readonly sessions: EchoSession[] = []

  openSession(facts: SessionFacts, port: ClientPort): EchoSession {
    const session = new EchoSession(facts, port)
    this.sessions.push(session)
    return session
  }

  /** The session opened last. */
  get last(): EchoSession {
    const session = this.sessions.at(-1)
    if (!session) throw new Error('no session was opened')
    return session
  }
}

/**
 * Tools: `echo` gives its arguments back; `big {bytes}` a text of that size; `slow {steps, everyMs}` one progress notification a step and
 * then its answer; `ask` a request to the client, whose result it answers with; `hold` nothing until the test calls `finish`.
 */
export class EchoSession implements ClientSession {
  readonly id: string
  readonly facts: SessionFacts
  readonly port: ClientPort
  /** Everything received, in order. */
  readonly received: Incoming[] = []
  /** Requests in flight. */
  readonly calls = new Map<RequestKey, JsonRpcRequest>()
  closed = false
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #asked = new Map<number, RequestKey>()

  constructor(facts: SessionFacts, port: ClientPort) {
    this.id = facts.id
    this.facts = facts
    this.port = port
  }

  get busy(): boolean {
    return this.calls.size > 0
  }

  receive(incoming: Incoming): void {
    this.received.push(incoming)
    const { message } = incoming
    if (isRequest(message)) this.#serve(JSON.stringify(message.id), message)
    else if (isResponse(message)) this.#answered(Number(message.id), message.result)
    else if (message.method === 'notifications/cancelled') this.calls.delete(JSON.stringify(message.params?.['requestId']))
  }

  /** Answers a call that is held. */
  finish(key: RequestKey, result: object): void {
    if (!this.calls.delete(key)) return
    this.port.answer(key, resultFrame(key, result))
  }

  /** Sends a notification with `data`, about a request or not. */
  notify(data: unknown, about?: RequestKey): void {
    this.port.push(notificationFrame('notifications/message', { level: 'info', data }), about)
  }

  async close(): Promise<void> {
    this.closed = true
    for (const timer of this.#timers) clearInterval(timer)
    this.calls.clear()
  }

  #serve(key: RequestKey, request: JsonRpcRequest): void {
    this.calls.set(key, request)
    const { params = {} } = request
    if (request.method === 'initialize') this.#initialize(key, params)
    else if (request.method === 'ping') this.finish(key, {})
    else if (request.method === 'tools/call') this.#call(key, String(params['name']), params)
    else {
      this.calls.delete(key)
      this.port.answer(key, errorFrame(key, { code: RPC.methodNotFound, message: `no method ${request.method}` }))
    }
  }

  #initialize(key: RequestKey, params: Readonly<Record<string, unknown>>): void {
    const protocolVersion = params['protocolVersion']
    if (typeof protocolVersion !== 'string') {
      this.calls.delete(key)
      this.port.answer(key, errorFrame(key, { code: RPC.invalidParams, message: 'protocolVersion is missing' }))
      return
    }
    const capabilities = { tools: {}, logging: {} }
    this.finish(key, { protocolVersion, capabilities, serverInfo: { name: 'echo', version: '1' } })
  }

  #call(key: RequestKey, tool: string, params: Readonly<Record<string, unknown>>): void {
    const args = asRecord(params['arguments']) ?? {}
    if (tool === 'echo') this.finish(key, textResult(JSON.stringify(args)))
    else if (tool === 'big') this.finish(key, textResult('x'.repeat(Number(args['bytes']))))
    else if (tool === 'slow') this.#slow(key, args, asRecord(params['_meta'])?.['progressToken'])
    else if (tool === 'ask') this.#ask(key)
  }

  #slow(key: RequestKey, args: Readonly<Record<string, unknown>>, token: unknown): void {
    const steps = Number(args['steps'])
    let progress = 0
    const timer = setInterval(
      () => {
        if (progress < steps) {
          const params = { progressToken: token ?? 0, progress: ++progress, total: steps }
          this.port.push(notificationFrame('notifications/progress', params), key)
          return
        }
        clearInterval(timer)
        this.#timers.delete(timer)
        this.finish(key, textResult('done'))
      },
      Number(args['everyMs'] ?? 5),
    )
    this.#timers.add(timer)
  }

  #ask(key: RequestKey): void {
    const id = this.#asked.size + 1
    this.#asked.set(id, key)
    this.port.push(requestFrame(id, 'roots/list'), key)
  }

  #answered(id: number, result: unknown): void {
    const key = this.#asked.get(id)
    if (key) this.finish(key, textResult(JSON.stringify(result)))
  }
}

function textResult(text: string): object {
  return { content: [{ type: 'text', text }] }
}
