/** The gateway of one process: opens sessions and holds what they share (worker threads, run numbers, shared servers). */
import { type ComputePool, createComputePool } from '../actor/compute-pool.js'
import { createSessionThreads, type SessionThreads } from '../actor/session-threads.js'
import { SESSION_WORKER } from '../actor/worker-urls.js'
import type { Logger } from '../base/logger.js'
import type { GatewayConfig } from '../config/config.js'
import { openLinkOf } from '../upstream/open-link.js'
import type { UpstreamContext } from '../upstream/supervised-upstream.js'
import { createSharedUpstreams, type SharedUpstreams } from '../upstream/upstream-set.js'
import type { ClientPort, ClientSession, SessionFacts, SessionHost } from './port.js'
import { ResponseIndex } from './response-index.js'
import { RunNumbers } from './run-numbers.js'
import type { Session } from './session.js'

export interface CoordinatorOptions {
  readonly config: GatewayConfig
  readonly version: string
  readonly logger: Logger
  /** The environment that stdio servers may inherit. */
  readonly inheritedEnv: Readonly<Record<string, string>>
}

export interface GatewayStatus {
  readonly sessions: number
  readonly servers: number
}

export class Coordinator implements SessionHost {
  readonly #options: CoordinatorOptions
  readonly #compute: ComputePool
  readonly #threads: SessionThreads
  readonly #runNumbers = new RunNumbers()
  readonly #upstreams: UpstreamContext
  readonly #shared: SharedUpstreams
  readonly #sessions = new Set<Session>()
  #closing: Promise<void> | undefined

  constructor(options: CoordinatorOptions) {
    const { config, logger } = options
    this.#options = options
    this.#compute = createComputePool({})
    this.#threads = createSessionThreads({ url: SESSION_WORKER, maxWorkers: config.settings.maxWorkers, logger })
    this.#upstreams = {} as UpstreamContext
    this.#shared = createSharedUpstreams()
  }
}
