/** What a session's servers have, made ready for its client: names given, schemas compressed, costs counted, documents indexed. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { messageOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { utf8Length } from '../base/utf8.js'
import type { Candidate, ShelvedServer } from '../catalog/admission.js'
import { dialectOf } from '../catalog/client-dialect.js'
import type { Settings } from '../config/config.js'
import type { CatalogServer, PreparedEntry, PreparedServer, PrepareOptions, SchemaDialect } from '../protocol/catalog-api.js'
import { LIST_KINDS, type ListItem, type ListKind } from '../protocol/compute-api.js'
import type { ServerFacts, Upstream } from '../upstream/upstream.js'
import type { CatalogShelf } from './catalog-shelf.js'
import type { ContextIndex } from './context-index.js'
import type { SessionNames } from './session-names.js'

export interface StockOptions {
  readonly settings: Settings
  readonly clientName: string
  readonly shelf: CatalogShelf
  readonly names: SessionNames
  readonly index: ContextIndex | undefined
  /** In the order of the configuration. */
  readonly upstreams: () => readonly Upstream[]
  readonly allows: (upstream: Upstream, tool: string) => boolean
  readonly logger: Logger
}

/** A server whose catalog is ready. */
export interface StockedServer extends ShelvedServer {
  readonly upstream: Upstream
  readonly prepared: PreparedServer
}

export class Stock {
  readonly #options: StockOptions
  readonly #goods = new Map<Upstream, Goods>()
  readonly #bytes = new WeakMap<readonly ListItem[], number>()
  #countsAll = false

  constructor(options: StockOptions) {
    this.#options = options
  }

  /** Whether the catalog is kept small at all. */
  get isActive(): boolean {
    const { enabled, mode } = this.#options.settings.catalog
    return enabled && mode !== 'off'
  }

  /** Whether a server is in its first attempt to start: what it has is not known yet. */
  get isExpecting(): boolean {
    const isOut = ({ cached, startedAt, state }: Upstream) =>
      !cached && startedAt === undefined && (state === 'starting' || state === 'idle')
    return this.#options.upstreams().some(isOut)
  }

  /** Servers whose catalog is ready, in the order of the configuration. */
  servers(): StockedServer[] {
    return this.#options.upstreams().flatMap((upstream): StockedServer[] => {
      const prepared = this.#goods.get(upstream)?.prepared
      const { alias, name } = upstream.server
      return prepared ? [{ alias, name, entries: prepared.entries, upstream, prepared }] : []
    })
  }

  /** The first entry of these kinds that fits. */
  find(fits: (entry: PreparedEntry) => boolean, kinds: readonly ListKind[] = LIST_KINDS): Candidate | undefined {
    for (const server of this.servers()) {
      for (const kind of kinds) {
        const entry = server.entries[kind].find(fits)
        if (entry) return { kind, server, entry }
      }
    }
    return undefined
  }

  /** UTF-8 bytes of the lists and instructions that have landed, as the servers sent them. */
  get rawBytes(): number {
    return this.#options.upstreams().reduce((sum, upstream) => sum + this.#bytesOf(upstream), 0)
  }

  /** Whether all that the servers have is too much for a client, as far as is known now. */
  get isLarge(): boolean {
    return this.isActive && (this.isExpecting || this.rawBytes > this.#options.settings.catalog.thresholdBytes)
  }

  /** Counting tokens loads 60 MB of tables: only where the catalog is not listed whole, or somebody wants to know. */
  get needsCosts(): boolean {
    return this.#countsAll || this.#isReduced
  }

  /** Whether listed tools are stubs, whose schemas are only read. */
  get isStubbed(): boolean {
    return this.isActive && this.#compresses && this.#options.settings.catalog.disclosure
  }

  /** From now on all costs are counted. */
  countAll(): void {
    this.#countsAll = true
  }

  /** Whose rules listed schemas keep to: `auto` leaves alone what is passed on as it is, and stubs have no schema. */
  get dialect(): SchemaDialect {
    const { settings, clientName } = this.#options
    const { dialect } = settings.catalog
    if (this.isStubbed) return 'none'
    return dialect !== 'auto' ? dialect : this.#compresses ? dialectOf(clientName) : 'none'
  }

  /** Has everything made ready that has landed or changed since; resolves when it is. Never rejects. */
  async fill(): Promise<void> {
    const { names, upstreams, allows } = this.#options
    names.settle(upstreams(), allows)
    const costs = this.needsCosts
    let filled: Promise<unknown> = Promise.resolve()
    for (const upstream of upstreams()) {
      if (!upstream.facts) continue
      const { done, isNews } = this.#fillFrom(upstream, { facts: upstream.facts, costs }, filled)
      filled = Promise.all([filled, done])
      // Handing over many catalogs at once would keep others waiting.
      if (isNews) await nextTurn()
    }
    await filled
  }

  // --- internal ---

  get #isReduced(): boolean {
    return this.isLarge || (this.isActive && this.#options.settings.catalog.mode === 'manual')
  }

  /** A single server under its own names is passed on as it is while it is small enough to be listed whole. */
  get #compresses(): boolean {
    const isProxy = this.#options.settings.naming === 'bare' && this.#options.upstreams().length === 1
    return this.#options.settings.catalog.mode !== 'off' && (!isProxy || this.#isReduced)
  }

  /** The index gets documents in the order of the configuration, whichever are ready first: of two that rank alike the earlier wins. */
  #fillFrom(upstream: Upstream, known: Pick<Inputs, 'facts' | 'costs'>, before: Promise<unknown>) {
    const inputs: Inputs = { ...known, lists: LIST_KINDS.map((kind) => upstream.list(kind)) }
    const old = this.#goods.get(upstream)
    if (old && sameInputs(old.inputs, inputs)) return { done: old.filled, isNews: false }
    const goods: Goods = { inputs, prepared: old?.prepared, filled: Promise.resolve() }
    this.#goods.set(upstream, goods)
    goods.filled = Promise.all([this.#prepare(upstream, inputs), before]).then(
      ([prepared]) => {
        if (this.#goods.get(upstream) !== goods) return
        goods.prepared = prepared
        this.#report(upstream, prepared)
        if (this.isActive) this.#options.index?.furnish(upstream.server.alias, prepared.docs)
      },
      (error: unknown) => {
        this.#options.logger.error('catalog not prepared', { server: upstream.server.name, error: messageOf(error) })
        // What was ready stays.
        if (this.#goods.get(upstream) === goods) this.#goods.set(upstream, { ...goods, inputs: undefined })
      },
    )
    return { done: goods.filled, isNews: true }
  }

  #prepare(upstream: Upstream, { facts, costs }: Inputs): Promise<PreparedServer> {
    const { settings, shelf, names, allows } = this.#options
    const { alias } = upstream.server
    const exposed = (kind: ListKind) =>
      upstream
        .list(kind)
        .filter(({ key }) => kind !== 'tools' || allows(upstream, key))
        .map(({ key, json }) => ({ key, json, exposed: names.expose(kind, alias, key) }))
    const options: PrepareOptions = {
      compress: this.#compresses,
      dialect: this.dialect,
      descriptionBudget: settings.catalog.descriptionBudget,
      disclosure: this.isStubbed,
      withoutOutputSchema: settings.responses.enabled,
      readTool: settings.readTool,
      costs,
    }
    const lists = {
      tools: exposed('tools'),
      resources: exposed('resources'),
      resourceTemplates: exposed('resourceTemplates'),
      prompts: exposed('prompts'),
    }
    return shelf.prepare({ server: catalogServer(upstream, facts), lists, options })
  }

  #bytesOf(upstream: Upstream): number {
    const lists = LIST_KINDS.map((kind) => {
      const items = upstream.list(kind)
      let bytes = this.#bytes.get(items)
      if (bytes === undefined) {
        const kept = items.filter(({ key }) => kind !== 'tools' || this.#options.allows(upstream, key))
        bytes = kept.reduce((sum, { json }) => sum + utf8Length(json), 0)
        this.#bytes.set(items, bytes)
      }
      return bytes
    })
    return lists.reduce((sum, bytes) => sum + bytes, utf8Length(upstream.facts?.instructions ?? ''))
  }

  #report({ server }: Upstream, { repairs }: PreparedServer): void {
    for (const repair of repairs) this.#options.logger.warn('tool repaired', { server: server.name, ...repair })
  }
}

// --- internal ---

/** What a catalog is made of; each part is another object when it has changed. */
interface Inputs {
  readonly facts: ServerFacts
  readonly costs: boolean
  readonly lists: readonly (readonly ListItem[])[]
}

interface Goods {
  /** Undefined after a failure: the next list tries again. */
  readonly inputs: Inputs | undefined
  prepared: PreparedServer | undefined
  filled: Promise<void>
}

/** Costs that are there and no longer needed are no change. */
function sameInputs(known: Inputs | undefined, wanted: Inputs): boolean {
  return (
    known !== undefined &&
    known.facts === wanted.facts &&
    (known.costs || !wanted.costs) &&
    known.lists.every((list, at) => list === wanted.lists[at])
  )
}

function catalogServer({ server }: Upstream, { serverInfo, instructions }: ServerFacts): CatalogServer {
  const title = serverInfo['title'] ?? serverInfo['name']
  return {
    alias: server.alias,
    name: server.name,
    ...(typeof title === 'string' && { title }),
    ...(server.description !== undefined && { description: server.description }),
    ...(instructions !== undefined && { instructions }),
  }
}
