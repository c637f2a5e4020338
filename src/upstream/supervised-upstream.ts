/** A server that is kept running: connected, initialised, listed, restarted after a failure, stopped when unused. */
import { asSluiceError, type SluiceError } from '../base/errors.js'
import type { ServerConfig } from '../config/config.js'
import type { ListItem, ListKind } from '../protocol/compute-api.js'
import { type Backoff, createBackoff } from './backoff.js'
import { Connection } from './connection.js'
import { initialize } from './handshake.js'
import { IdleWatch } from './idle-watch.js'
import { listsChangedBy } from './list-keeper.js'
import { ServerCatalog } from './server-catalog.js'
import { transition } from './transitions.js'
import type { AnswerHandler, ClientFacts, ServerFacts, Upstream, UpstreamState } from './upstream.js'
import { createServerErrors, type ServerErrors } from './upstream-errors.js'
import type { UpstreamOptions } from './upstream-options.js'
import { Waiters } from './waiters.js'

export function createUpstream(options: UpstreamOptions): Upstream {
  return new SupervisedUpstream(options)
}

// --- internal ---

class SupervisedUpstream implements Upstream {
  readonly server: ServerConfig
  readonly firstAttempt: Promise<void>
  readonly #options: UpstreamOptions
  readonly #backoff: Backoff
  readonly #errors: ServerErrors
  readonly #catalog: ServerCatalog
  readonly #waiters = new Waiters()
  readonly #untold = new Set<ListKind>()
  readonly #idle: IdleWatch
  #state: UpstreamState = 'idle'
  #recalled: Promise<void> | undefined
  #lastError: SluiceError | undefined
  #failed = false
  #restarts = 0
  #startedAt: number | undefined
  #lastId = 0
  #connection: Connection | undefined
  #renewing: Connection | undefined
  #closing: Promise<void> = Promise.resolve()
  #retryTimer: NodeJS.Timeout | undefined
  #deadline: NodeJS.Timeout | undefined
  #firstAttemptOver: () => void = () => undefined

  constructor(options: UpstreamOptions) {
    this.#options = options
    this.server = options.server
    this.#errors = createServerErrors(options.server.name, options.redact ?? ((text) => text))
    this.#backoff = createBackoff(options.backoff)
    const { cache, compute, logger, server } = options
    this.#catalog = new ServerCatalog({
      name: server.name,
      wire: server.wire,
      client: () => this.#client(),
      cache,
      compute,
      logger,
      changed: (kind) => this.#listChanged(kind),
    })
    this.#idle = new IdleWatch({
      limitMs: server.idleTimeoutMs,
      busy: () => (this.#connection?.inFlight ?? 0) > 0,
      idle: () => {
        this.#leave(this.#errors.error('UPSTREAM_STOPPED', 'was stopped for being idle'))
        this.#to('idle')
      },
    })
    this.firstAttempt = new Promise((resolve) => {
      this.#firstAttemptOver = resolve
    })
  }

  get state(): UpstreamState {
    return this.#state
  }

  get cached(): boolean {
    return this.#catalog.cached
  }

  get facts(): ServerFacts | undefined {
    return this.#catalog.facts
  }

  get lastError(): SluiceError | undefined {
    return this.#lastError
  }

  get restarts(): number {
    return this.#restarts
  }

  get startedAt(): number | undefined {
    return this.#startedAt
  }

  list(kind: ListKind): readonly ListItem[] {
    return this.#catalog.lists.get(kind)
  }

  recall(): Promise<void> {
    this.#recalled ??= this.#catalog.recall().then((kinds) => kinds && this.#recollected(kinds))
    return this.#recalled
  }

  start(): void {
    if (this.#state === 'idle') this.#begin()
  }

  async ready(signal?: AbortSignal): Promise<void> {
    if (this.#state === 'stopped') throw this.#errors.error('UPSTREAM_STOPPED', 'was stopped')
    if (signal?.aborted) throw this.#errors.error('ABORTED', 'is no longer waited for')
    this.#idle.used()
    if (this.#state === 'ready') return
    if (this.#state !== 'starting') this.#begin()
    await this.#waiters.wait(signal, () => this.#errors.error('ABORTED', 'is no longer waited for'))
  }

  request(frame: (id: number) => Uint8Array, handler: AnswerHandler): number {
    if (this.#state === 'ready' && this.#connection) {
      this.#idle.used()
      return this.#connection.request(frame, handler, this.server.callTimeoutMs)
    }
    const error = this.#state === 'stopped' ? this.#errors.error('UPSTREAM_STOPPED', 'was stopped') : this.#lastError
    queueMicrotask(() => handler.fail(error ?? this.#errors.error('UPSTREAM_CONNECT', `is not ready (${this.#state})`)))
    return ++this.#lastId
  }

  send(frame: Uint8Array): void {
    // While starting too: a server may ask for roots before its lists are read.
    this.#connection?.send(frame)
  }

  cancel(id: number, reason: string, notice?: Uint8Array): void {
    this.#connection?.cancel(id, reason, notice)
  }

  touch(id: number): void {
    this.#connection?.touch(id)
  }

  hold(id: number, held: boolean): void {
    this.#connection?.hold(id, held)
  }

  async stop(): Promise<void> {
    if (this.#state !== 'stopped') {
      const cause = this.#errors.error('UPSTREAM_STOPPED', 'was stopped')
      this.#to('stopped')
      this.#leave(cause)
      this.#catalog.settle()
      this.#waiters.reject(cause)
      this.#firstAttemptOver()
    }
    await this.#closing
  }

  // --- internal ---

  #client(): ClientFacts {
    const { client } = this.#options
    return typeof client === 'function' ? client() : client
  }

  /** Its lists are known as if it had started; it need not, before it is called. */
  #recollected(kinds: readonly ListKind[]): void {
    if (this.#state === 'stopped') return
    for (const kind of kinds) this.#options.listener.listChanged(this, kind)
    this.#firstAttemptOver()
  }

  #begin(): void {
    clearTimeout(this.#retryTimer)
    if (this.#failed) this.#restarts++
    this.#to('starting')
    const connection = this.#connect()
    this.#connection = connection
    void this.#attempt(connection, async () => {
      await this.#closing
      await connection.open()
      await this.#initialize(connection)
      await this.#catalog.readAll(connection, this.server.connectTimeoutMs)
    })
  }

  /** Runs the way to `ready`. Whatever fails on it ends the connection. */
  async #attempt(connection: Connection, way: () => Promise<void>): Promise<void> {
    this.#setDeadline(connection)
    try {
      await way()
      connection.check()
    } catch (error) {
      this.#fall(connection, asSluiceError(error))
      return
    }
    if (this.#connection === connection) this.#becomeReady()
  }

  #connect(): Connection {
    const { server, openLink, maxMessageBytes, compute, logger, listener } = this.#options
    const connection: Connection = new Connection(
      {
        name: server.name,
        openLink: (events) => openLink(server, events),
        nextId: () => ++this.#lastId,
        errors: this.#errors,
        keepFrames: server.wire.kind !== 'stdio',
        maxMessageBytes,
        compute,
        logger,
      },
      {
        request: (incoming) => listener.request(this, incoming),
        notification: (incoming) => {
          const changed = listsChangedBy(incoming.message.method)
          for (const kind of changed) void this.#catalog.lists.read(connection, kind)
          if (changed.length === 0) listener.notification(this, incoming)
        },
        unreachable: (cause) => {
          this.#lastError = cause
        },
        sessionLost: () => this.#sessionLost(connection),
        closed: (cause) => this.#fall(connection, cause),
      },
    )
    return connection
  }

  async #initialize(connection: Connection): Promise<void> {
    this.#catalog.said(await initialize(connection, this.#client()))
    clearTimeout(this.#deadline)
  }

  #setDeadline(connection: Connection): void {
    clearTimeout(this.#deadline)
    const limitMs = this.server.connectTimeoutMs
    this.#deadline = setTimeout(() => {
      this.#fall(connection, this.#errors.error('UPSTREAM_TIMEOUT', `did not start within ${limitMs} ms (connectTimeout)`))
    }, limitMs)
  }

  #becomeReady(): void {
    this.#backoff.succeeded()
    this.#failed = false
    this.#idle.start()
    this.#startedAt = Date.now()
    this.#to('ready')
    this.#options.logger.info('upstream_ready', { server: this.server.name, restarts: this.#restarts })
    for (const kind of this.#untold) this.#options.listener.listChanged(this, kind)
    this.#untold.clear()
    this.#waiters.resolve()
    this.#firstAttemptOver()
  }

  /** The connection failed or ended; the next attempt is due after a while. */
  #fall(connection: Connection, cause: SluiceError): void {
    if (this.#connection !== connection) return
    const isNews = !this.#failed || this.#lastError?.detail !== cause.detail
    this.#lastError = cause
    this.#failed = true
    this.#leave(cause)
    const waitMs = this.#backoff.failed()
    // Told once: a server that is missing for good would fill the log.
    this.#options.logger[isNews ? 'warn' : 'debug']('upstream_down', {
      server: this.server.name,
      error: cause.detail,
      retryInMs: waitMs,
    })
    this.#retryTimer = setTimeout(() => this.#begin(), waitMs).unref()
    this.#waiters.reject(cause)
    this.#firstAttemptOver()
    // Last, since whoever is told may ask for the next attempt at once.
    this.#to('down')
  }

  /** Parts with the connection; what is in flight on it fails with `cause`. */
  #leave(cause: SluiceError): void {
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#deadline)
    this.#idle.stop()
    const connection = this.#connection
    this.#connection = undefined
    if (connection) this.#closing = Promise.all([this.#closing, connection.close(cause)]).then(() => undefined)
  }

  /** Initialises again on the same link. Requests that are lost meanwhile are replayed with the others. */
  #sessionLost(connection: Connection): void {
    if (this.#connection !== connection || this.#renewing === connection) return
    if (this.#state !== 'ready') {
      this.#fall(connection, this.#errors.error('UPSTREAM_CONNECT', 'forgot our session while starting'))
      return
    }
    this.#renewing = connection
    this.#to('starting')
    void this.#attempt(connection, async () => {
      connection.link.reset()
      await this.#initialize(connection)
      this.#renewing = undefined
      connection.replay()
    }).then(() => this.#catalog.readAll(connection))
  }

  #listChanged(kind: ListKind): void {
    if (this.#state === 'ready') this.#options.listener.listChanged(this, kind)
    else this.#untold.add(kind)
  }

  #to(next: UpstreamState): void {
    this.#state = transition(this.server.name, this.#state, next)
    this.#options.listener.stateChanged(this)
  }
}
