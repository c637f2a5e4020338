/** One session's actor as the gateway sees it: opened at its first ask, asleep in a file when unused, opened anew after a crash. */
import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap } from '../base/bounded-map.js'
import { SluiceError } from '../base/errors.js'
import type { OpenArgs, SessionApi } from '../protocol/session-api.js'
import type { AnswerOf, ArgsOf, AskOptions } from './actor.js'
import { createPendingAsks } from './pending-asks.js'
import type { SleepFolder } from './sleep-folder.js'
import type { ThreadActor } from './thread-actor.js'

export type SessionVerb = Exclude<keyof SessionApi, 'open' | 'catalog' | 'hibernate' | 'close' | 'status'>

/** What a session is opened with, on whatever thread. */
export type SessionFacts = Omit<OpenArgs, 'session' | 'lostLabels' | 'file'>

export interface SessionActor {
  /**
   * Starts the thread if there is none, waking the session if it sleeps, waits out the back-off of one that keeps dying, and asks.
   * The deadline counts all of that. Settles as {@link Actor.ask} does.
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

export type Complaint = 'catalog-failed' | 'hibernate-failed' | 'file-failed'

/** Where a tenant gets its thread, and gives it back. */
export interface Landlord {
  /** A session unused for so long sleeps. */
  readonly hibernateAfterMs: number
  /** Where a database can be laid down. */
  readonly beds: Pick<SleepFolder, 'newFile' | 'removeFile'>
  place(tenant: SessionTenant): SessionThread
  /** The tenant's `open` failed on a living thread, it sleeps, or it leaves for good. */
  vacate(tenant: SessionTenant, thread: SessionThread): Promise<void>
  /** The tenant leaves for good. */
  forget(tenant: SessionTenant): void
  /** Something that nobody waits for has failed. */
  complain(tenant: SessionTenant, what: Complaint, thrown: unknown): void
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
  /** What its database has of the catalogs, asleep too. */
  readonly #delivered = new Map<string, Uint8Array>()
  /** The thread that is told of catalogs as they come. */
  #furnished: SessionThread | undefined
  #home: Promise<SessionThread> | undefined
  #failures = 0
  #failedAt = 0
  #closing: Promise<void> | undefined
  #idle: NodeJS.Timeout | undefined
  /** Its falling asleep, from then on until it is asked again: the thread, if it stayed awake. */
  #dozing: Promise<SessionThread | undefined> | undefined
  /** Its database, once it has slept. What is in it counts only while it sleeps. */
  #file: string | undefined
  #asleep = false

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
    if (this.#furnished) this.#deliver(this.#furnished)
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
    if (!this.#asleep) this.#dropFile() // while it wakes, its file is only read
    this.#noteFailure(performance.now() - thread.startedAt)
  }

  // --- internal ---

  #atHome(): Promise<SessionThread> {
    this.#stir()
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
    const dozing = this.#dozing
    this.#dozing = undefined
    const stayed = await dozing
    if (!stayed) return this.#settleIn()
    this.#deliver(stayed)
    return stayed
  }

  async #settleIn(): Promise<SessionThread> {
    await this.#backOff()
    const thread = this.#landlord.place(this)
    this.#thread = thread
    const lostLabels = [...this.#labels.keys()]
    try {
      const file = this.#asleep ? this.#file : undefined
      const { woke } = await thread.actor.ask('open', {
        ...this.#facts,
        session: this.session,
        lostLabels,
        ...(file && { file }),
      })
      // Vectors are not slept with, and are made from what is delivered.
      if (!woke || this.#facts.vector) this.#delivered.clear()
      this.#asleep = false
    } catch (thrown) {
      if (this.#thread === thread) {
        this.#thread = undefined
        this.#noteFailure(0)
        await this.#landlord.vacate(this, thread)
      }
      throw thrown
    }
    this.#deliver(thread)
    return thread
  }

  /** Catalogs that are new to its database. Whatever is asked after it finds them: a mailbox keeps its order. */
  #deliver(thread: SessionThread): void {
    this.#furnished = thread
    for (const [alias, docs] of this.#catalogs) {
      if (this.#delivered.get(alias) === docs) continue
      this.#delivered.set(alias, docs)
      thread.actor.ask('catalog', { session: this.session, alias, docs }).catch((thrown: unknown) => {
        if (this.#furnished === thread) this.#landlord.complain(this, 'catalog-failed', thrown)
      })
    }
  }

  /** It was used: it stays awake for as long again. */
  #stir(): void {
    if (this.#idle) this.#idle.refresh()
    else this.#idle = setTimeout(() => this.#tire(), Math.min(this.#landlord.hibernateAfterMs, MAX_TIMER_MS)).unref()
  }

  #tire(): void {
    const thread = this.#thread
    if (this.#leaving.signal.aborted || !this.#home) return
    if (thread && thread === this.#furnished && this.#asks.size === 0) this.#dozing = this.#doze(thread)
    else this.#stir()
  }

  /** Whoever asks meanwhile waits for it, and wakes it. Never rejects. */
  async #doze(thread: SessionThread): Promise<SessionThread | undefined> {
    this.#home = undefined
    this.#furnished = undefined
    try {
      const file = this.#file ?? (await this.#landlord.beds.newFile())
      const { asleep } = await thread.actor.ask('hibernate', { session: this.session, file })
      if (this.#thread !== thread) return undefined
      if (asleep) {
        this.#file = file
        this.#asleep = true
        this.#thread = undefined
        await this.#landlord.vacate(this, thread)
        return undefined
      }
    } catch (thrown) {
      this.#landlord.complain(this, 'hibernate-failed', thrown)
    }
    if (this.#thread === thread) this.#stayAwake(thread)
    return this.#thread
  }

  #stayAwake(thread: SessionThread): void {
    this.#stir()
    if (this.#home) return // somebody has asked, and waits for this
    this.#home = Promise.resolve(thread)
    this.#dozing = undefined
    this.#deliver(thread)
  }

  #dropFile(): void {
    const file = this.#file
    this.#file = undefined
    this.#asleep = false
    if (file === undefined) return
    this.#landlord.beds.removeFile(file).catch((thrown: unknown) => this.#landlord.complain(this, 'file-failed', thrown))
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
    clearTimeout(this.#idle)
    this.#asks.failAll(new SluiceError('ACTOR_STOPPED'))
    this.#landlord.forget(this)
    await this.#dozing
    const thread = this.#thread
    this.#thread = undefined
    this.#furnished = undefined
    if (thread) await this.#landlord.vacate(this, thread)
    this.#dropFile()
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1

const REMEMBERED_LABELS = 10_000
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5_000
/** A thread that lived longer did not die of what killed the one before it. */
const STEADY_MS = 60_000
