/** `/mcp`: Streamable HTTP, many sessions. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { messageOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { SessionHost } from '../gateway/port.js'
import { type Incoming, isRequest, RPC } from '../protocol/messages.js'
import type { Identity } from './access.js'
import { BATCH_REVISION } from './batches.js'
import { HttpSession } from './http-session.js'
import { readBody } from './read-body.js'
import { isFault, readMessages } from './read-messages.js'
import { type Refusal, refuse, replyEmpty, replyFault, SESSION_GONE } from './reply.js'
import { acceptsOf, contentFault, headerOf, revisionFault } from './request-facts.js'

interface EndpointOptions {
  readonly host: SessionHost
  readonly sessionIdleMs: number
  readonly maxBodyBytes: number
  readonly logger: Logger
}

/** A request with who it comes from. */
interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly identity: Identity
}

/** Answers a call, or says what is wrong with it. */
type Method = (call: Call) => Promise<Refusal | undefined> | Refusal | undefined

const KEEP_ALIVE_MS = 30_000
const NO_SESSION: Refusal = { status: 400, message: 'Mcp-Session-Id is missing; send initialize first' }
const UNKNOWN_SESSION: Refusal = { status: 404, message: 'Session not found; send initialize again', code: SESSION_GONE }
const SHUTTING_DOWN: Refusal = { status: 503, message: 'The gateway is shutting down', code: RPC.connectionClosed }

export class McpEndpoint {
  readonly #options: EndpointOptions
  readonly #sessions = new Map<string, HttpSession>()
  /** Sessions that are ending. */
  readonly #ending = new Set<Promise<void>>()
  readonly #keepAlive: NodeJS.Timeout
  readonly #methods: ReadonlyMap<string, Method>
  #closing = false

  constructor(options: EndpointOptions) {
    this.#options = options
    this.#methods = new Map<string, Method>([
      ['POST', (call) => this.#post(call)],
      ['GET', (call) => this.#get(call)],
      ['DELETE', (call) => this.#delete(call)],
    ])
    this.#keepAlive = setInterval(() => {
      for (const session of this.#sessions.values()) session.keepAlive()
    }, KEEP_ALIVE_MS)
    this.#keepAlive.unref()
  }

  get sessions(): number {
    return this.#sessions.size
  }

  async handle(call: Call): Promise<void> {
    const { request, response } = call
    const refusal = await this.#dispatch(request.method ?? '', call)
    if (refusal) refuse(response, refusal)
  }

  /** Ends the sessions of somebody who may not come in any more. */
  expel(id: string): void {
    for (const session of [...this.#sessions.values()]) if (session.owner.id === id) this.#end(session, 'token revoked')
  }

  /** Ends every session. Requests from now on are refused. */
  async close(): Promise<void> {
    this.#closing = true
    clearInterval(this.#keepAlive)
    for (const session of [...this.#sessions.values()]) this.#end(session, 'shutdown')
    await Promise.all(this.#ending)
  }

  // --- internal ---

  #dispatch(name: string, call: Call): ReturnType<Method> {
    if (this.#closing) return SHUTTING_DOWN
    const method = this.#methods.get(name)
    return method ? (revisionFault(call.request.headers) ?? method(call)) : notAllowed(name)
  }

  async #post(call: Call): Promise<Refusal | undefined> {
    const { request, response } = call
    const accepts = acceptsOf(request.headers.accept)
    if (!accepts.json && !accepts.events) return NOT_ACCEPTABLE
    const named = contentFault(request.headers) ?? this.#find(call)
    if (named && !(named instanceof HttpSession)) return named
    const body = await readBody(request, this.#options.maxBodyBytes)
    if (body === 'gone') return undefined
    if (body === 'too large') return tooLarge(this.#options.maxBodyBytes)
    const { batch, items } = readMessages(body)
    const messages: Incoming[] = []
    for (const item of items) {
      if (isFault(item)) return replyFault(response, 400, item.fault)
      messages.push(item)
    }
    const revision = headerRevision(request)
    if (batch && (revision ?? named?.revision ?? BATCH_REVISION) !== BATCH_REVISION) return NO_BATCHES
    const session = this.#sessionFor(messages, named, call)
    return session instanceof HttpSession ? session.deliver(messages, { response, accepts, batch, revision }) : session
  }

  #get(call: Call): Refusal | undefined {
    const { headers } = call.request
    if (!acceptsOf(headers.accept).events) return NOT_ACCEPTABLE
    const session = this.#find(call) ?? NO_SESSION
    return session instanceof HttpSession ? session.listen(call.response, headerOf(headers, 'last-event-id')) : session
  }

  #delete(call: Call): Refusal | undefined {
    const session = this.#find(call) ?? NO_SESSION
    if (!(session instanceof HttpSession)) return session
    this.#end(session, 'deleted')
    replyEmpty(call.response, 204)
    return undefined
  }

  /** The session a request names, what is wrong with that, or undefined if it names none. */
  #find({ request, identity }: Call): HttpSession | Refusal | undefined {
    const id = headerOf(request.headers, 'mcp-session-id')
    if (id === undefined) return undefined
    const session = this.#sessions.get(id)
    return session?.owner.id === identity.id ? session : UNKNOWN_SESSION
  }

  /** The session that messages belong to, after the body was read; a lone `initialize` without one opens it. */
  #sessionFor(messages: readonly Incoming[], named: HttpSession | undefined, call: Call): HttpSession | Refusal {
    if (this.#closing) return SHUTTING_DOWN
    if (named) return this.#sessions.has(named.id) ? named : UNKNOWN_SESSION
    const opens = messages.some(({ message }) => isRequest(message) && message.method === 'initialize')
    if (!opens) return NO_SESSION
    return messages.length === 1 ? this.#open(call.identity) : INITIALIZE_ALONE
  }

  #open(owner: Identity): HttpSession {
    const { host, sessionIdleMs, logger } = this.#options
    const onOver = (session: HttpSession, reason: string) => this.#end(session, reason)
    const session = new HttpSession({ id: randomUUID(), owner, host, idleMs: sessionIdleMs, onOver })
    this.#sessions.set(session.id, session)
    logger.debug('session_opened', { session: session.id, transport: 'http' })
    return session
  }

  #end(session: HttpSession, reason: string): void {
    if (!this.#sessions.delete(session.id)) return
    const { logger } = this.#options
    logger.debug('session_ended', { session: session.id, reason })
    const ended = session
      .close(reason === 'shutdown' ? SHUTTING_DOWN : undefined)
      .catch((error: unknown) => logger.error('session_close_failed', { session: session.id, message: messageOf(error) }))
      .finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
  }
}

const NOT_ACCEPTABLE: Refusal = {
  status: 406,
  message: 'Not acceptable: accept application/json and text/event-stream for POST, text/event-stream for GET',
}

const NO_BATCHES: Refusal = {
  status: 400,
  message: `Invalid request: only revision ${BATCH_REVISION} has batches; send one message a POST`,
}

const INITIALIZE_ALONE: Refusal = { status: 400, message: 'Invalid request: initialize must not be part of a batch' }

function notAllowed(method: string | undefined): Refusal {
  const headers = { allow: 'GET, POST, DELETE, OPTIONS' }
  return { status: 405, message: `Method ${method ?? ''} is not allowed on /mcp`, headers }
}

function tooLarge(maxBytes: number): Refusal {
  return { status: 413, message: `The body is over the limit of ${maxBytes} bytes` }
}

function headerRevision(request: IncomingMessage): string | undefined {
  const revision = request.headers['mcp-protocol-version']
  return typeof revision === 'string' ? revision : undefined
}
