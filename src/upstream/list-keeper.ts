/** The lists of a server as they were last read, which outlive its restarts, and their reading anew, one reading a list at a time. */
import { messageOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { ListItem, ListKind, ListMember } from '../protocol/compute-api.js'
import type { Connection } from './connection.js'
import { readList } from './read-list.js'
import type { ServerFacts } from './upstream.js'
import type { UpstreamCompute } from './upstream-compute.js'

interface KeeperOptions {
  /** The server's name, for the log. */
  readonly name: string
  readonly compute: UpstreamCompute
  readonly logger: Logger
  /** A list is known for the first time or came back different. */
  readonly changed: (kind: ListKind) => void
}

/** Entries, and what the server's result had beside them. */
export interface KeptList {
  readonly items: readonly ListItem[]
  readonly members: readonly ListMember[]
}

export type KeptLists = Readonly<Partial<Record<ListKind, KeptList>>>

const NOTHING: KeptList = { items: [], members: [] }

const KINDS_OF_CAPABILITY: Readonly<Record<string, readonly ListKind[]>> = {
  tools: ['tools'],
  resources: ['resources', 'resourceTemplates'],
  prompts: ['prompts'],
}

const LIST_KINDS = Object.values(KINDS_OF_CAPABILITY).flat()

const CAPABILITY_CHANGED = /^notifications\/(tools|resources|prompts)\/list_changed$/

/** The lists that a list_changed notification is about; none if the method is another. */
export function listsChangedBy(method: string): readonly ListKind[] {
  const capability = CAPABILITY_CHANGED.exec(method)?.[1]
  return capability ? (KINDS_OF_CAPABILITY[capability] ?? []) : []
}

export class ListKeeper {
  readonly #options: KeeperOptions
  /** Why lists could not be read the last time. */
  readonly faults = new Map<ListKind, string>()
  readonly #lists = new Map<ListKind, KeptList>()
  /** Lists that the server itself has given, unlike those of the cache. */
  readonly #given = new Set<ListKind>()
  readonly #readings = new WeakMap<Connection, Map<ListKind, Reading>>()

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  get(kind: ListKind): readonly ListItem[] {
    return this.#lists.get(kind)?.items ?? []
  }

  /** Takes lists of the cache for those that the server has not given yet; returns which these are. */
  recall(lists: KeptLists): readonly ListKind[] {
    const unknown = LIST_KINDS.filter((kind) => lists[kind] && !this.#lists.has(kind))
    for (const kind of unknown) this.#lists.set(kind, lists[kind] ?? NOTHING)
    return unknown
  }

  /** All that the server offers, or undefined while some list of it has not been read. */
  complete(facts: ServerFacts): KeptLists | undefined {
    const offered = Object.keys(KINDS_OF_CAPABILITY).filter((capability) => facts.capabilities[capability] !== undefined)
    const kinds = offered.flatMap((capability) => KINDS_OF_CAPABILITY[capability] ?? [])
    if (!kinds.every((kind) => this.#given.has(kind))) return undefined
    return Object.fromEntries(kinds.map((kind) => [kind, this.#lists.get(kind) ?? NOTHING]))
  }

  members(kind: ListKind): readonly ListMember[] {
    return this.#lists.get(kind)?.members ?? []
  }

  /**
   * Reads all lists that the server offers; those it no longer offers become empty. Waits at most `limitMs`: a list that is slower
   * comes in later, as a change. Never rejects.
   */
  async readAll(connection: Connection, facts: ServerFacts, limitMs = Number.POSITIVE_INFINITY): Promise<void> {
    const readings: Promise<void>[] = []
    for (const [capability, kinds] of Object.entries(KINDS_OF_CAPABILITY)) {
      const offered = facts.capabilities[capability] !== undefined
      for (const kind of kinds) {
        if (offered) readings.push(this.read(connection, kind))
        else if (this.#lists.has(kind)) this.#put(kind, NOTHING)
      }
    }
    await this.#atMost(limitMs, Promise.all(readings))
  }

  /** Reads one list. Called while it is being read, it has it read once more after that. A list that fails stays as it was. */
  read(connection: Connection, kind: ListKind): Promise<void> {
    const ofConnection = this.#readings.get(connection) ?? new Map<ListKind, Reading>()
    this.#readings.set(connection, ofConnection)
    const running = ofConnection.get(kind)
    if (running) {
      running.again = true
      return running.done
    }
    const reading: Reading = { again: true, done: Promise.resolve() }
    ofConnection.set(kind, reading)
    reading.done = this.#readWhileAsked(connection, kind, reading).finally(() => ofConnection.delete(kind))
    return reading.done
  }

  // --- internal ---

  async #atMost(limitMs: number, readings: Promise<unknown>): Promise<void> {
    if (!Number.isFinite(limitMs)) {
      await readings
      return
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#options.logger.warn('upstream_lists_late', { server: this.#options.name, limitMs })
        resolve()
      }, limitMs)
    })
    await Promise.race([readings, late])
    clearTimeout(timer)
  }

  async #readWhileAsked(connection: Connection, kind: ListKind, reading: Reading): Promise<void> {
    while (reading.again) {
      reading.again = false
      await this.#readOnce(connection, kind)
    }
  }

  async #readOnce(connection: Connection, kind: ListKind): Promise<void> {
    const { name: server, compute, logger } = this.#options
    try {
      const { items, members, dropped, warning } = await readList(
        (method, options) => connection.ask(method, options),
        kind,
        compute,
      )
      if (dropped > 0) logger.warn('upstream_list_entries_dropped', { server, kind, dropped })
      if (warning) logger.warn('upstream_list_incomplete', { server, kind, warning })
      this.#given.add(kind)
      this.faults.delete(kind)
      this.#put(kind, { items, members })
    } catch (error) {
      this.faults.set(kind, messageOf(error))
      logger.warn('upstream_list_failed', { server, kind, error: messageOf(error) })
    }
  }

  /** A list that came back equal stays the object that it was: what others have made of it stays good. */
  #put(kind: ListKind, list: KeptList): void {
    const before = this.#lists.get(kind)
    if (before && sameTexts(before.items, list.items) && sameTexts(before.members, list.members)) return
    this.#lists.set(kind, list)
    this.#options.changed(kind)
  }
}

interface Reading {
  again: boolean
  done: Promise<void>
}

function sameTexts(a: readonly ListItem[], b: readonly ListItem[]): boolean {
  return a.length === b.length && a.every(({ key, json }, i) => key === b[i]?.key && json === b[i].json)
}
