/** The gateway of one process: opens sessions and holds what they share (worker threads, run numbers, shared servers). */
import { type ComputePool, createComputePool } from '../actor/compute-pool.js'
import { createSessionThreads, type SessionThreads } from '../actor/session-threads.js'
import { workerUrl } from '../actor/worker-urls.js'
import type { Logger } from '../base/logger.js'
import type { WarmLoop } from '../base/warm-loop.js'
import type { GatewayConfig } from '../config/config.js'
import { type CatalogCache, createCatalogCache } from '../upstream/catalog-cache.js'
import { createLinkOpener } from '../upstream/open-link.js'
import { createSharedUpstreams, type SharedUpstreams, type UpstreamSettings } from '../upstream/shared-upstreams.js'
import type { ClientFacts, UpstreamListener } from '../upstream/upstream.js'
import { createUpstreamSet, type UpstreamSet } from '../upstream/upstream-set.js'
import { createWatchdog, type Watchdog } from '../upstream/watchdog.js'
import type { ClientPort, ClientSession, SessionFacts, SessionHost } from './port.js'
import { ResponseIndex } from './response-index.js'
import { RunNumbers } from './run-numbers.js'
import { Session } from './session.js'

export interface CoordinatorOptions {
  readonly config: GatewayConfig
  readonly version: string
  readonly logger: Logger
  /** The environment that stdio servers may inherit. */
  readonly inheritedEnv: Readonly<Record<string, string>>
  /** Where catalogs of servers are kept between starts; absent: they are not. */
  readonly dataDir?: string
  /** Polls for the next message after each one. */
  readonly warmLoop?: WarmLoop
}

export interface GatewayStatus {
  readonly servers: number
  readonly disabledServers: number
  /** Session threads that run now. */
  readonly threads: number
}

export class Coordinator implements SessionHost {
  readonly #options: CoordinatorOptions
  readonly #compute: ComputePool
  readonly #threads: SessionThreads
  readonly #runNumbers = new RunNumbers()
  readonly #watchdog: Watchdog
  readonly #cache: CatalogCache | undefined
  readonly #upstreams: UpstreamSettings
  readonly #shared: SharedUpstreams
  readonly #sessions = new Set<Session>()
  #closing: Promise<void> | undefined

  constructor(options: CoordinatorOptions) {
    const { config, logger } = options
    this.#options = options
    this.#compute = createComputePool()
    this.#threads = createSessionThreads({ url: workerUrl('session'), maxWorkers: config.settings.maxWorkers, logger })
    this.#watchdog = createWatchdog(logger)
    if (options.dataDir !== undefined) this.#cache = createCatalogCache({ folder: options.dataDir, logger })
    this.#upstreams = this.#upstreamSettings()
    this.#shared = createSharedUpstreams(config.servers, this.#upstreams)
  }

  openSession(facts: SessionFacts, port: ClientPort): ClientSession {
    const { config, version, logger } = this.#options
    const session = new Session(
      {
        config,
        version,
        logger,
        index: this.#indexOf(facts.id),
        openUpstreams: (client, listener) => this.#upstreamsFor(client, listener),
        onClosed: (closed) => this.#sessions.delete(closed),
      },
      facts,
      port,
    )
    this.#sessions.add(session)
    return session
  }

  status(): GatewayStatus {
    const { servers, disabled } = this.#options.config
    return { servers: servers.length, disabledServers: disabled.length, threads: this.#threads.threadCount }
  }

  /** For tests and diagnosis: ends every session's thread as a crash would. */
  async killThreads(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.index?.kill()))
  }

  /** Ends all sessions, shared servers and threads. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  // --- internal ---

  #upstreamSettings(): UpstreamSettings {
    const { config, logger, inheritedEnv, warmLoop } = this.#options
    const { maxMessageBytes } = config.settings
    return {
      openLink: createLinkOpener({
        inheritedEnv,
        maxMessageBytes,
        logger,
        watchdog: this.#watchdog,
        ...(warmLoop && { warmLoop }),
      }),
      maxMessageBytes,
      compute: {
        frameFacts: (frame) => this.#compute.run('frameFacts', { frame }, { transfer: [frame.buffer as ArrayBuffer] }),
        readList: (frame, kind) => this.#compute.run('readList', { frame, kind }, { transfer: [frame.buffer as ArrayBuffer] }),
      },
      logger,
      redact: config.redact,
      ...(this.#cache && { cache: this.#cache }),
    }
  }

  #indexOf(session: string): ResponseIndex | undefined {
    const { settings } = this.#options.config
    if (!settings.responses.enabled) return undefined
    const names = { search: settings.searchTool, read: settings.readTool, call: settings.callTool }
    const actor = this.#threads.actorOf(session, { maxIndexBytes: settings.maxIndexBytes, names })
    return new ResponseIndex({ actor, runNumbers: this.#runNumbers, settings, logger: this.#options.logger })
  }

  #upstreamsFor(client: ClientFacts, listener: UpstreamListener): UpstreamSet {
    const { servers, settings } = this.#options.config
    const { startConcurrency } = settings
    return createUpstreamSet({ ...this.#upstreams, servers, shared: this.#shared, client, listener, startConcurrency })
  }

  async #close(): Promise<void> {
    await Promise.all([...[...this.#sessions].map((session) => session.close()), this.#shared.stop()])
    await Promise.all([this.#threads.stop(), this.#compute.close(), this.#watchdog.stop(), this.#cache?.flush()])
  }
}
