/** The verbs of a session actor's thread: several sessions, each with a database of its own. */
import { SluiceError } from '../base/errors.js'
import type { SessionApi, ThreadStatus } from '../protocol/session-api.js'
import { CACHE_KIBIBYTES } from '../store/sql.js'
import { SessionIndex } from './session-index.js'

export interface SessionApiOptions {
  /** Told of a fault that no answer tells: a response that passed since it could not be indexed, a source that cannot be searched. */
  readonly onFault?: (error: unknown) => void
}

export function createSessionApi(options: SessionApiOptions = {}): SessionApi {
  const sessions = new Map<string, SessionIndex>()
  const onFault = options.onFault ?? (() => undefined)
  const on = async <T>(session: string, work: (index: SessionIndex) => T | Promise<T>): Promise<T> => {
    const index = sessions.get(session)
    if (!index) throw notOpen(session)
    return wrapped(() => work(index)).catch((error: unknown) => {
      throw sessions.get(session) === index ? error : notOpen(session)
    })
  }
  return {
    open: (args) =>
      wrapped(() => {
        const index = sessions.get(args.session) ?? new SessionIndex(args, onFault)
        sessions.set(args.session, index)
        shareCache(sessions)
        return { woke: index.woke }
      }),
    ingest: (args) => on(args.session, (index) => index.ingest(args)),
    catalog: (args) => on(args.session, (index) => index.catalog(args)),
    search: (args) => on(args.session, (index) => index.search(args)),
    read: (args) => on(args.session, (index) => index.read(args)),
    original: (args) => on(args.session, (index) => index.original(args)),
    labels: (args) => on(args.session, (index) => index.labels(args)),
    hibernate: ({ session, file }) =>
      on(session, async (index) => {
        const asleep = await index.layDown(file)
        if (asleep && sessions.delete(session)) index.close()
        shareCache(sessions)
        return { asleep }
      }),
    close: ({ session }) =>
      wrapped(() => {
        const index = sessions.get(session)
        sessions.delete(session)
        index?.close()
        shareCache(sessions)
      }),
    status: () => wrapped(() => total([...sessions.values()])),
  }
}

// --- internal ---

/** Less is of no use. */
const LEAST_CACHE_KIBIBYTES = 256

/** A thread's sessions have together what one of them would have alone, so that memory grows with threads and not with sessions. */
function shareCache(sessions: ReadonlyMap<string, SessionIndex>): void {
  const share = Math.max(LEAST_CACHE_KIBIBYTES, Math.floor(CACHE_KIBIBYTES / Math.max(1, sessions.size)))
  for (const index of sessions.values()) index.limitCache(share)
}

function notOpen(session: string): SluiceError {
  return new SluiceError('ACTOR_STOPPED', `session ${session} is not open`)
}

/** What SQLite says is kept as the cause and never reaches a text. */
async function wrapped<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SluiceError) throw error
    throw new SluiceError('INTERNAL', "the session's index failed", { cause: error })
  }
}

function total(sessions: readonly SessionIndex[]): ThreadStatus {
  const sum = { sessions: sessions.length, sources: 0, textBytes: 0, pending: 0, unembedded: 0 }
  for (const session of sessions) {
    const { sources, textBytes, pending, unembedded } = session.status()
    sum.sources += sources
    sum.textBytes += textBytes
    sum.pending += pending
    sum.unembedded += unembedded
  }
  return sum
}
