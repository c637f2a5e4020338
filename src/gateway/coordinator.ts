/** The gateway of one process: opens sessions and holds what they share (worker threads, run numbers, shared servers). */
import path from 'node:path'
import { type ComputePool, createComputePool } from '../actor/compute-pool.js'
import { createSessionThreads, type SessionThreads } from '../actor/session-threads.js'
import { workerUrl } from '../actor/worker-urls.js'
import type { Logger } from '../base/logger.js'
import type { WarmLoop } from '../base/warm-loop.js'
import type { GatewayConfig, Settings } from '../config/config.js'
import type { AuditLimits } from '../protocol/audit-api.js'
import { type CatalogCache, createCatalogCache } from '../upstream/catalog-cache.js'
import { createLinkOpener } from '../upstream/open-link.js'
import { createSharedUpstreams, type SharedUpstreams, type UpstreamSettings } from '../upstream/shared-upstreams.js'
import type { ClientFacts, UpstreamListener } from '../upstream/upstream.js'
import { createUpstreamSet, type UpstreamSet } from '../upstream/upstream-set.js'
import { createWatchdog, type Watchdog } from '../upstream/watchdog.js'
import { AuditJournal } from './audit-journal.js'
import { CatalogShelf } from './catalog-shelf.js'
import { ContextIndex } from './context-index.js'
import { toolNamesOf } from './own-entries.js'
import type { ClientPort, ClientSession, SessionFacts, SessionHost } from './port.js'
import { RunNumbers } from './run-numbers.js'
import { Session } from './session.js'
import { UsageJournal } from './usage-journal.js'

const USAGE_FILE = 'usage.db'
/** Of the 5 s that shutting down may take. */
const LAST_FLUSH_MS = 1_000
/** Counting tokens may first have to load the tokenizer. */
const LAST_AUDIT_MS = 2_000

export interface CoordinatorOptions {
  readonly config: GatewayConfig
  readonly version: string
  readonly logger: Logger
  /** The environment that stdio servers may inherit. */
  readonly inheritedEnv: Readonly<Record<string, string>>
  /** Where the gateway keeps what it remembers; undefined: nowhere. */
  readonly dataDir?: string
  /** When the audit log begins another file, and how many it keeps. */
  readonly auditLimits?: AuditLimits
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
  readonly #shelf: CatalogShelf
  readonly #journal: UsageJournal
  readonly #audit: AuditJournal | undefined
  readonly #sessions = new Set<Session>()
  #closing: Promise<void> | undefined

  constructor(options: CoordinatorOptions) {
    const { config, logger } = options
    this.#options = options
    this.#compute = createComputePool()
    this.#shelf = new CatalogShelf({ compute: this.#compute, version: options.version, dataDir: options.dataDir })
    const dataDir = config.settings.stats ? options.dataDir : undefined
    const file = dataDir === undefined ? undefined : path.join(dataDir, USAGE_FILE)
    if (dataDir !== undefined) {
      const place = { dataDir, limits: options.auditLimits }
      this.#audit = new AuditJournal({ compute: this.#compute, place, logger })
    }
    this.#journal = new UsageJournal({ compute: this.#compute, file, logger })
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
        shelf: this.#shelf,
        journal: this.#journal,
        audit: this.#audit,
        openIndex: (settings) => this.#openIndex(facts.id, settings),
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

  #openIndex(session: string, settings: Settings): ContextIndex {
    const names = toolNamesOf(settings)
    const actor = this.#threads.actorOf(session, { maxIndexBytes: settings.maxIndexBytes, names })
    return new ContextIndex({
      actor,
      runNumbers: this.#runNumbers,
      settings,
      logger: this.#options.logger,
      audited: this.#audit !== undefined,
    })
  }

  #upstreamsFor(client: ClientFacts, listener: UpstreamListener): UpstreamSet {
    const { servers, settings } = this.#options.config
    const { startConcurrency } = settings
    return createUpstreamSet({ ...this.#upstreams, servers, shared: this.#shared, client, listener, startConcurrency })
  }

  async #close(): Promise<void> {
    const closed = [...this.#sessions].map((session) => session.close())
    // By now all calls have ended, and what they leave behind is written while servers stop.
    const written = [this.#journal.close(LAST_FLUSH_MS), this.#audit?.close(LAST_AUDIT_MS)]
    await Promise.all([...closed, this.#shared.stop(), ...written])
    await Promise.all([this.#threads.stop(), this.#compute.close(), this.#watchdog.stop(), this.#cache?.flush()])
  }
}
