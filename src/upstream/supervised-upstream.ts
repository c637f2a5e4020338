/** A server that is kept running: connected, initialised, listed, restarted after a failure, stopped when unused. */
import { asSluiceError, type SluiceError } from '../base/errors.js'
import type { ServerConfig } from '../config/config.js'
import type { ListItem, ListKind, ListMember } from '../protocol/compute-api.js'
import { Attempts } from './attempts.js'
import { Connection } from './connection.js'
import { IdleWatch } from './idle-watch.js'
import { listsChangedBy } from './list-keeper.js'
import { ordersOf } from './orders-of.js'
import { ReachWatch } from './reach-watch.js'
import { ServerCatalog } from './server-catalog.js'
import type { StandingOrders } from './standing-orders.js'
import { afterFailure, isOpen, transition } from './transitions.js'
import type { AnswerHandler, ServerFacts, Upstream, UpstreamState } from './upstream.js'
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
  readonly orders: StandingOrders
  readonly #options: UpstreamOptions
  readonly #attempts: Attempts
  readonly #reach: ReachWatch
  readonly #errors: ServerErrors
  readonly #catalog: ServerCatalog
  readonly #waiters = new Waiters()
  readonly #idle: IdleWatch
  #state: UpstreamState = 'idle'
  #startedAt: number | undefined
  #lastId = 0
  #connection: Connection | undefined
  #renewing: Connection | undefined
  #closing: Promise<void> = Promise.resolve()

  constructor(options: UpstreamOptions) {
    const { listener, server, logins } = options
    this.#options = options
    this.server = server
    this.#errors = createServerErrors(server.name, options.redact ?? ((text) => text), logins?.command(server.name))
    this.#attempts = new Attempts(options.backoff, logins?.of(server))
    this.#reach = new ReachWatch({
      backoff: options.backoff,
      ping: () => this.#connection?.ask('ping', { replay: false }).catch(() => undefined),
      changed: (reachable) => this.#reachChanged(reachable),
    })
    this.#catalog = new ServerCatalog(options, {
      isOpen: () => isOpen(this.#state),
      changed: (kind) => listener.listChanged(this, kind),
      recalled: () => this.#waiters.skipFirst(),
    })
    this.orders = ordersOf(this, options.logger)
    this.#idle = new IdleWatch({
      limitMs: server.idleTimeoutMs,
      busy: () => this.orders.busy || (this.#connection?.inFlight ?? 0) > 0,
      idle: () => {
        this.#leave(this.#errors.error('UPSTREAM_STOPPED', 'was stopped for being idle'))
        this.#to('idle')
      },
    })
    this.firstAttempt = this.#waiters.first
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
    return this.#attempts.lastError
  }

  get restarts(): number {
    return this.#attempts.restarts
  }

  get startedAt(): number | undefined {
    return this.#startedAt
  }

  list(kind: ListKind): readonly ListItem[] {
    return this.#catalog.lists.get(kind)
  }

  listMembers(kind: ListKind): readonly ListMember[] {
    return this.#catalog.lists.members(kind)
  }

  get listFaults(): Upstream['listFaults'] {
    return this.#catalog.lists.faults
  }

  recall(): Promise<void> {
    return this.#catalog.recall()
  }

  start(): void {
    if (this.#state === 'idle') this.#begin()
  }

  async ready(signal?: AbortSignal): Promise<void> {
    if (this.#state === 'stopped') throw this.#errors.error('UPSTREAM_STOPPED', 'was stopped')
    if (signal?.aborted) throw this.#errors.error('ABORTED', 'is no longer waited for')
    this.#idle.used()
    if (isOpen(this.#state)) return
    if (this.#state !== 'starting') this.#begin()
    await this.#waiters.wait(signal, () => this.#errors.error('ABORTED', 'is no longer waited for'))
  }

  request(frame: (id: number) => Uint8Array, handler: AnswerHandler): number {
    if (isOpen(this.#state) && this.#connection) {
      this.#idle.used()
      return this.#connection.request(frame, handler, this.server.callTimeoutMs)
    }
    const error = this.#state === 'stopped' ? this.#errors.error('UPSTREAM_STOPPED', 'was stopped') : this.lastError
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
      this.#catalog.close()
      this.#waiters.reject(cause)
    }
    await this.#closing
  }

  // --- internal ---

  #begin(): void {
    this.#attempts.begin()
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
    const limitMs = this.server.connectTimeoutMs
    this.#attempts.allow(limitMs, () => this.#fall(connection, this.#errors.startTimeout(limitMs)))
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
        failing: (cause) => this.#failing(cause),
        answered: () => this.#reach.answered(),
        sessionLost: () => this.#sessionLost(connection),
        closed: (cause) => this.#fall(connection, cause),
      },
    )
    return connection
  }

  async #initialize(connection: Connection): Promise<void> {
    await this.#catalog.greet(connection)
    this.#attempts.arrived()
  }

  #becomeReady(): void {
    this.#attempts.succeeded()
    this.#idle.start()
    this.#startedAt = Date.now()
    this.#to('ready')
    this.orders.renew()
    this.#options.logger.info('upstream_ready', { server: this.server.name, restarts: this.restarts })
    this.#catalog.tell()
    this.#waiters.resolve()
  }

  /** The connection failed or ended; the next attempt is due after a while. */
  #fall(connection: Connection, cause: SluiceError): void {
    if (this.#connection !== connection) return
    this.#leave(cause)
    const { waitMs, isNews } = this.#attempts.failed(cause, () => this.#begin())
    // Told once: a server that is missing for good would fill the log.
    this.#options.logger[isNews ? 'warn' : 'debug']('upstream_down', {
      server: this.server.name,
      error: cause.detail,
      retryInMs: waitMs,
    })
    this.#waiters.reject(cause)
    // Last, since whoever is told may ask for the next attempt at once.
    this.#to(afterFailure(cause))
  }

  #failing(cause: SluiceError): void {
    this.#attempts.note(cause)
    if (cause.code === 'UPSTREAM_REFUSED') this.#reach.answered()
    else if (isOpen(this.#state)) this.#reach.failed()
  }

  #reachChanged(reachable: boolean): void {
    this.#to(reachable ? 'ready' : 'unreachable')
    const fields = { server: this.server.name, ...(!reachable && { error: this.lastError?.detail }) }
    this.#options.logger[reachable ? 'info' : 'warn'](reachable ? 'upstream_reached' : 'upstream_unreachable', fields)
    // It may be another process by now, with other lists.
    if (reachable && this.#connection) void this.#catalog.readAll(this.#connection)
  }

  /** Parts with the connection; what is in flight on it fails with `cause`. */
  #leave(cause: SluiceError): void {
    this.#attempts.stop()
    this.#reach.stop()
    this.#idle.stop()
    if (this.server.wire.kind === 'stdio') this.orders.forgetTasks()
    const connection = this.#connection
    this.#connection = undefined
    if (connection) this.#closing = Promise.all([this.#closing, connection.close(cause)]).then(() => undefined)
  }

  /** Initialises again on the same link. Requests that are lost meanwhile are replayed with the others. */
  #sessionLost(connection: Connection): void {
    if (this.#connection !== connection || this.#renewing === connection) return
    if (!isOpen(this.#state)) {
      this.#fall(connection, this.#errors.error('UPSTREAM_CONNECT', 'forgot our session while starting'))
      return
    }
    this.#renewing = connection
    this.#attempts.begin(true)
    this.#reach.stop()
    this.#to('starting')
    void this.#attempt(connection, async () => {
      connection.link.reset()
      await this.#initialize(connection)
      this.#renewing = undefined
      connection.replay()
    }).then(() => this.#catalog.readAll(connection))
  }

  #to(next: UpstreamState): void {
    this.#state = transition(this.server.name, this.#state, next)
    this.#options.listener.stateChanged(this)
  }
}
