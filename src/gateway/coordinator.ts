/** The gateway of one process: opens sessions and holds what they share (worker threads, run numbers, shared servers). */
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ComputePool, createComputePool } from '../actor/compute-pool.js'
import { createSessionThreads, type SessionThreads } from '../actor/session-threads.js'
import { workerUrl } from '../actor/worker-urls.js'
import type { Logger } from '../base/logger.js'
import type { WarmLoop } from '../base/warm-loop.js'
import type { GatewayConfig, Settings } from '../config/config.js'
import type { AuditLimits } from '../protocol/audit-api.js'
import type { ModelPlaces } from '../protocol/vector-api.js'
import { type CatalogCache, createCatalogCache } from '../upstream/catalog-cache.js'
import { createLogins, type Logins } from '../upstream/oauth/logins.js'
import { createLinkOpener } from '../upstream/open-link.js'
import { createSharedUpstreams, type SharedUpstreams, type UpstreamSettings } from '../upstream/shared-upstreams.js'
import type { ClientFacts, UpstreamListener } from '../upstream/upstream.js'
import { createUpstreamSet, type UpstreamSet } from '../upstream/upstream-set.js'
import { createWatchdog, type Watchdog } from '../upstream/watchdog.js'
import { AuditJournal } from './audit-journal.js'
import { CatalogShelf } from './catalog-shelf.js'
import { ContextIndex } from './context-index.js'
import { Embedding } from './embedding.js'
import { OutputDiet } from './output-diet.js'
import { toolNamesOf } from './own-entries.js'
import type { ClientPort, SessionFacts, SessionHost } from './port.js'
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
  /** Where embedding models are; undefined: no vectors. */
  readonly models?: ModelPlaces
  /** What `--config` named. */
  readonly configPath?: string | undefined
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
  readonly #embedding: Embedding | undefined
  readonly #cache: CatalogCache | undefined
  readonly #logins: Logins | undefined
  readonly #upstreams: UpstreamSettings
  readonly #shared: SharedUpstreams
  readonly #shelf: CatalogShelf
  readonly #journal: UsageJournal
  readonly #diet: OutputDiet
  readonly #audit: AuditJournal | undefined
  readonly #sessions = new Set<Session>()
  #closing: Promise<void> | undefined

  constructor(options: CoordinatorOptions) {
    const { config, logger } = options
    this.#options = options
    this.#compute = createComputePool()
    this.#diet = new OutputDiet(this.#compute, logger)
    this.#shelf = new CatalogShelf({ compute: this.#compute, version: options.version, dataDir: options.dataDir })
    const dataDir = config.settings.stats ? options.dataDir : undefined
    const file = dataDir === undefined ? undefined : path.join(dataDir, USAGE_FILE)
    if (dataDir !== undefined) {
      const place = { dataDir, limits: options.auditLimits }
      this.#audit = new AuditJournal({ compute: this.#compute, place, logger })
    }
    this.#journal = new UsageJournal({ compute: this.#compute, file, logger })
    const { maxWorkers, hibernateAfterMs } = config.settings
    const sleepIn = options.dataDir ?? tmpdir()
    this.#threads = createSessionThreads({ url: workerUrl('session'), maxWorkers, hibernateAfterMs, folder: sleepIn, logger })
    this.#watchdog = createWatchdog(logger)
    this.#embedding = options.models && new Embedding({ ...options, models: options.models })
    const { dataDir: folder, configPath } = options
    if (folder !== undefined) this.#cache = createCatalogCache({ folder, logger })
    if (folder !== undefined) this.#logins = createLogins({ dataDir: folder, configPath, logger })
    this.#upstreams = this.#upstreamSettings()
    this.#shared = createSharedUpstreams(config.servers, this.#upstreams)
  }

  openSession(facts: SessionFacts, port: ClientPort): Session {
    const { config, version, logger } = this.#options
    const session = new Session(
      {
        config,
        version,
        logger,
        diet: this.#diet,
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
        ...(this.#logins && { logins: this.#logins }),
      }),
      maxMessageBytes,
      compute: {
        frameFacts: (frame) => this.#compute.run('frameFacts', { frame }, { transfer: [frame.buffer as ArrayBuffer] }),
        readList: (frame, kind) => this.#compute.run('readList', { frame, kind }, { transfer: [frame.buffer as ArrayBuffer] }),
      },
      logger,
      redact: config.redact,
      ...(this.#cache && { cache: this.#cache }),
      ...(this.#logins && { logins: this.#logins }),
    }
  }

  #openIndex(session: string, settings: Settings): ContextIndex {
    const names = toolNamesOf(settings)
    const vector = this.#embedding?.factsFor(settings)
    const actor = this.#threads.actorOf(session, { maxIndexBytes: settings.maxIndexBytes, names, ...(vector && { vector }) })
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
    await Promise.all([
      this.#threads.stop(),
      this.#compute.close(),
      this.#watchdog.stop(),
      this.#cache?.flush(),
      this.#embedding?.stop(),
    ])
  }
}
