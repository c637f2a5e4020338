/** Which session lives on which worker thread: one thread a session, shared beyond `maxWorkers`, ended with its last session; the unused sleep. */
import { messageOf, SluiceError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { SessionApi } from '../protocol/session-api.js'
import { type Landlord, type SessionActor, type SessionFacts, SessionTenant, type SessionThread } from './session-tenant.js'
import { createSleepFolder } from './sleep-folder.js'
import { openThreadActor } from './thread-actor.js'

export interface SessionThreads {
  /** The session's actor, always the same one until it is closed. No thread is started yet. */
  actorOf(session: string, facts: SessionFacts): SessionActor
  /** Threads that run now. */
  readonly threadCount: number
  /** Ends all sessions and threads, within 2 s. Idempotent. */
  stop(): Promise<void>
}

export interface SessionThreadsOptions {
  /** A worker file that serves {@link SessionApi}. */
  readonly url: URL
  /** At least 1. */
  readonly maxWorkers: number
  /** A session unused for so long is laid down in a file, its thread released, until it is asked again. */
  readonly hibernateAfterMs: number
  /** Where the private folder of those files is made. */
  readonly folder: string
  readonly logger: Logger
}

export function createSessionThreads(options: SessionThreadsOptions): SessionThreads {
  const tenants = new Map<string, SessionTenant>()
  const threads = new Set<SessionThread>()
  let stopped = false

  const start = (): SessionThread => {
    const actor = openThreadActor<SessionApi>(options.url, {
      name: 'sluice-session',
      workerData: { logJson: options.logger.json },
      onDeath: (cause) => bury(thread, cause),
    })
    const thread: SessionThread = { actor, tenants: new Set(), startedAt: performance.now() }
    threads.add(thread)
    return thread
  }
  const bury = (thread: SessionThread, cause: SluiceError) => {
    threads.delete(thread)
    options.logger.error('session-thread.died', { cause: cause.detail, sessions: thread.tenants.size })
    for (const tenant of thread.tenants) tenant.evict(thread)
  }
  const beds = createSleepFolder(options.folder)
  const landlord: Landlord = {
    hibernateAfterMs: options.hibernateAfterMs,
    beds,
    place(tenant) {
      if (stopped) throw new SluiceError('ACTOR_STOPPED')
      const thread = threads.size < options.maxWorkers ? start() : leastLoaded(threads)
      thread.tenants.add(tenant)
      return thread
    },
    async vacate(tenant, thread) {
      thread.tenants.delete(tenant)
      const last = thread.tenants.size === 0
      if (last) threads.delete(thread) // nobody moves in any more
      await closeSession(thread, tenant.session, options.logger)
      if (last) await thread.actor.stop()
    },
    forget(tenant) {
      if (tenants.get(tenant.session) === tenant) tenants.delete(tenant.session)
    },
    complain(tenant, what, thrown) {
      options.logger.error(`session-thread.${what}`, { session: tenant.session, cause: messageOf(thrown) })
    },
  }
  return {
    actorOf(session, facts) {
      const known = tenants.get(session)
      if (known) return known
      const tenant = new SessionTenant(session, facts, landlord)
      tenants.set(session, tenant)
      return tenant
    },
    get threadCount() {
      return threads.size
    },
    async stop() {
      stopped = true
      const ending = [...threads].map(({ actor }) => actor.stop())
      for (const tenant of [...tenants.values()]) ending.push(tenant.close())
      await Promise.all(ending)
      await beds.remove()
    },
  }
}

// --- internal ---

/** A thread that is busy longer closes the session when it comes to it, or is ended. */
const CLOSE_WAIT_MS = 1_000

async function closeSession({ actor }: SessionThread, session: string, logger: Logger): Promise<void> {
  try {
    if (actor.alive) await actor.ask('close', { session }, { deadlineMs: CLOSE_WAIT_MS })
  } catch (thrown) {
    logger.debug('session-thread.close-failed', { session, cause: messageOf(thrown) })
  }
}

function leastLoaded(threads: Iterable<SessionThread>): SessionThread {
  const [first, ...rest] = threads
  if (!first) throw new SluiceError('INTERNAL', 'maxWorkers must be at least 1')
  return rest.reduce((least, thread) => (thread.tenants.size < least.tenants.size ? thread : least), first)
}
