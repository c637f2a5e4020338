/** One session's actor as the gateway sees it: opened at its first ask, opened anew, with its lost labels, after a crash. */
import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap } from '../base/bounded-map.js'
import { SluiceError } from '../base/errors.js'
import type { OpenArgs, SessionApi } from '../protocol/session-api.js'
import type { AnswerOf, ArgsOf, AskOptions } from './actor.js'
import { createPendingAsks } from './pending-asks.js'
import type { ThreadActor } from './thread-actor.js'

export type SessionVerb = Exclude<keyof SessionApi, 'open' | 'catalog' | 'close' | 'status'>

/** What a session is opened with, on whatever thread. */
export type SessionFacts = Omit<OpenArgs, 'session' | 'lostLabels'>

export interface SessionActor {
  /**
   * Starts the thread if there is none, waits out the back-off of one that keeps dying, and asks. The deadline counts all of
   * that. Settles as {@link Actor.ask} does.
   */
  ask<M extends SessionVerb>(
    verb: M,
    args: Omit<ArgsOf<SessionApi, M>, 'session'>,
    options?: AskOptions,
  ): Promise<AnswerOf<SessionApi, M>>
  /** Starts the thread ahead of the first ask. A failure is told to the next ask. */
  warm(): void
  /**
   * Documents of a server's catalog, in shared memory: put where the session is at home, and again wherever it is opened. They take
   * the place of those the server had. Starts no thread.
   */
  furnish(alias: string, docs: Uint8Array): void
  /** A label that was given out: if the thread dies, reading it says that it was lost. The newest 10,000 are kept. */
  remember(label: string): void
  /** Ends the session; pending asks reject with ACTOR_STOPPED. Idempotent. */
  close(): Promise<void>
  /** For tests and diagnosis: ends the session's thread, other sessions on it included, as a crash would. */
  kill(): Promise<void>
}

/** A worker thread and the sessions that live on it. */
export interface SessionThread {
  readonly actor: ThreadActor<SessionApi>
  readonly tenants: Set<SessionTenant>
  readonly startedAt: number
}

/** Where a tenant gets its thread, and gives it back. */
export interface Landlord {
  place(tenant: SessionTenant): SessionThread
  /** The tenant's `open` failed on a living thread, or it leaves for good. */
  vacate(tenant: SessionTenant, thread: SessionThread): Promise<void>
  /** The tenant leaves for good. */
  forget(tenant: SessionTenant): void
  /** Something that nobody waits for has failed. */
  complain(tenant: SessionTenant, thrown: unknown): void
}

export class SessionTenant implements SessionActor {
  readonly session: string
  readonly #facts: SessionFacts
  readonly #landlord: Landlord
  readonly #asks = createPendingAsks()
  readonly #catalogs = new Map<string, Uint8Array>()
  readonly #labels = new BoundedMap<string, true>(REMEMBERED_LABELS)
  readonly #leaving = new AbortController()
  #thread: SessionThread | undefined
  /** The thread that has the catalogs. */
  #furnished: SessionThread | undefined
  #home: Promise<SessionThread> | undefined
  #failures = 0
  #failedAt = 0
  #closing: Promise<void> | undefined

  constructor(session: string, facts: SessionFacts, landlord: Landlord) {
    this.session = session
    this.#facts = facts
    this.#landlord = landlord
  }

  ask<M extends SessionVerb>(
    verb: M,
    args: Omit<ArgsOf<SessionApi, M>, 'session'>,
    options: AskOptions = {},
  ): Promise<AnswerOf<SessionApi, M>> {
    if (this.#leaving.signal.aborted) return Promise.reject(new SluiceError('ACTOR_STOPPED'))
    return this.#asks.settle(verb, options, async () => {
      const { actor } = await this.#atHome()
      const { transfer } = options
      return actor.ask(verb, { ...args, session: this.session } as ArgsOf<SessionApi, M>, transfer && { transfer })
    })
  }

  warm(): void {
    this.#atHome().catch(() => undefined) // the next ask tries again and tells
  }

  furnish(alias: string, docs: Uint8Array): void {
    this.#catalogs.set(alias, docs)
    if (this.#furnished) this.#put(this.#furnished, alias, docs)
  }

  remember(label: string): void {
    this.#labels.set(label, true)
  }

  close(): Promise<void> {
    this.#closing ??= this.#leave()
    return this.#closing
  }

  async kill(): Promise<void> {
    await this.#thread?.actor.kill()
  }

  /** Its thread has died: the next ask opens it elsewhere. Called by the landlord. */
  evict(thread: SessionThread): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.#furnished = undefined
    this.#home = undefined
    this.#noteFailure(performance.now() - thread.startedAt)
  }

  // --- internal ---

  #atHome(): Promise<SessionThread> {
    if (!this.#home) {
      const home = this.#moveIn()
      this.#home = home
      home.catch(() => {
        if (this.#home === home) this.#home = undefined
      })
    }
    return this.#home
  }

  async #moveIn(): Promise<SessionThread> {
    await this.#backOff()
    const thread = this.#landlord.place(this)
    this.#thread = thread
    const lostLabels = [...this.#labels.keys()]
    try {
      await thread.actor.ask('open', { ...this.#facts, session: this.session, lostLabels })
    } catch (thrown) {
      if (this.#thread === thread) {
        this.#thread = undefined
        this.#noteFailure(0)
        await this.#landlord.vacate(this, thread)
      }
      throw thrown
    }
    for (const [alias, docs] of this.#catalogs) this.#put(thread, alias, docs)
    this.#furnished = thread
    return thread
  }

  /** Whatever is asked after it finds them: a mailbox keeps its order. */
  #put(thread: SessionThread, alias: string, docs: Uint8Array): void {
    thread.actor.ask('catalog', { session: this.session, alias, docs }).catch((thrown: unknown) => {
      if (this.#furnished === thread) this.#landlord.complain(this, thrown)
    })
  }

  /** At once after the first failure, then 100 ms after the second, doubling up to 5 s. */
  async #backOff(): Promise<void> {
    const delayMs = this.#failures < 2 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failures - 2))
    const restMs = this.#failedAt + delayMs - performance.now()
    if (delayMs > 0 && restMs > 0) await sleep(restMs, undefined, { signal: this.#leaving.signal })
    if (this.#leaving.signal.aborted) throw new SluiceError('ACTOR_STOPPED')
  }

  #noteFailure(livedMs: number): void {
    this.#failures = livedMs > STEADY_MS ? 1 : this.#failures + 1
    this.#failedAt = performance.now()
  }

  async #leave(): Promise<void> {
    this.#leaving.abort()
    this.#asks.failAll(new SluiceError('ACTOR_STOPPED'))
    this.#landlord.forget(this)
    const thread = this.#thread
    this.#thread = undefined
    this.#furnished = undefined
    if (thread) await this.#landlord.vacate(this, thread)
  }
}

const REMEMBERED_LABELS = 10_000
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5_000
/** A thread that lived longer did not die of what killed the one before it. */
const STEADY_MS = 60_000
