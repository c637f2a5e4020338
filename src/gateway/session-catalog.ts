/** One session's catalog: what of it is listed, what is deferred, and how either is reached. */
import { messageOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { utf8Length } from '../base/utf8.js'
import type { Candidate } from '../catalog/admission.js'
import type { Ceilings } from '../catalog/budget-guard.js'
import { listTokens } from '../catalog/list-cost.js'
import { Listing } from '../catalog/listing.js'
import { loweringSummary } from '../catalog/lowering-summary.js'
import type { PageRequest } from '../catalog/pager.js'
import type { Settings } from '../config/config.js'
import { LIST_KINDS, type ListItem, type ListKind } from '../protocol/compute-api.js'
import type { Upstream } from '../upstream/upstream.js'
import type { CatalogShelf } from './catalog-shelf.js'
import type { CatalogHints } from './context-index.js'
import type { ListChanges } from './list-changes.js'
import { ListPages } from './list-pages.js'
import { OwnCosts } from './own-costs.js'
import { OwnTools, ownTemplates } from './own-entries.js'
import { settledWithin } from './settled-within.js'
import { Stock, type StockedServer, type StockOptions } from './stock.js'
import { ToolsInUse } from './tools-in-use.js'
import type { UsageJournal } from './usage-journal.js'

export interface SessionCatalogOptions extends StockOptions {
  readonly changes: ListChanges
  readonly journal: UsageJournal
  readonly shelf: CatalogShelf
  readonly logger: Logger
}

/** Clients that keep most definitions out of the context themselves: for them every change of the list costs the prompt cache. */
const DEFERS_TOOLS_ITSELF = /claude[-_ ]?code/i
const PREPARE_WAIT_MS = 30_000
/** Whoever asks how things are is not kept waiting for what is slow. */
const DESCRIBE_WAIT_MS = 5_000
/** Bytes of the list results around their entries. */
const WRAPPERS = 128
export class SessionCatalog {
  readonly #options: SessionCatalogOptions
  readonly #stock: Stock
  readonly #pages = new ListPages()
  readonly #inUse: ToolsInUse
  readonly #ownTools: OwnTools
  readonly #ownCosts: OwnCosts
  #listing: Listing | undefined
  #instructionBytes = 0
  /** What the lists were last planned from. */
  #basis: readonly unknown[] = []
  #deferring = false

  constructor(options: SessionCatalogOptions) {
    this.#options = options
    this.#stock = new Stock(options)
    const { journal, settings } = options
    this.#inUse = new ToolsInUse(settings.catalog.adaptive && settings.stats ? journal : undefined)
    this.#ownTools = new OwnTools(settings)
    this.#ownCosts = new OwnCosts(options)
  }

  /** Whether something is not listed, or may come to be: the index is how it is found. */
  get deferring(): boolean {
    return this.#deferring
  }

  /** Whether all that the servers have is too much, as far as is known now. */
  get isLarge(): boolean {
    return this.#stock.isLarge
  }

  /** UTF-8 bytes of the instructions that the client was given; they count as part of what it is given. */
  set instructionBytes(bytes: number) {
    this.#instructionBytes = bytes
  }

  /**
   * Has what landed made ready, and waits for it: a server that is there is listed. The work is our own and bounded; only if it takes
   * longer than any catalog should does a list go out without it, and the client is told when it comes in.
   */
  async ready(): Promise<void> {
    await settledWithin([this.#inUse.learned, this.#filled()], PREPARE_WAIT_MS)
  }

  /** Loads what counting tokens needs, while servers are waited for. */
  warm(): void {
    if (this.#stock.needsCosts) void this.#ownCosts.count()
  }

  servers(): readonly StockedServer[] {
    return this.#stock.servers()
  }

  /** The JSON text of a list result; undefined if the cursor is none of ours. To be asked once what landed is {@link ready}. */
  list(kind: ListKind, page: PageRequest): string | undefined {
    this.#update()
    const entries = this.#entries(kind)
    return this.#pages.result(kind, { entries, upstreams: this.#options.upstreams() }, page)
  }

  /** Some server's list has landed (`isFirst`) or changed. A client that is given part of the catalog hears of it if its part changes. */
  landed(kind: ListKind, isFirst: boolean): void {
    if (!this.#deferring) this.#options.changes.changed(kind, isFirst)
    if (this.#listing?.planned) void this.#filled()
  }

  /** Plans the lists if nobody has asked for one yet. */
  plan(): void {
    if (!this.#listing?.planned) this.#update()
  }

  /** Deferred entries that a search has shown, or that were read, join their lists. */
  activate(labels: readonly string[]): void {
    if (this.#activates) this.enable(labels)
  }

  /** They join their lists, whatever `activation` says. */
  enable(labels: readonly string[]): void {
    if (!this.#listing || !this.#deferring) return
    const found = labels.flatMap((label) => this.find(label) ?? [])
    for (const kind of this.#listing.activate(found)) this.#options.changes.changed(kind, false)
  }

  /** The entry of a label such as `mcp/github/tool/create_issue`. */
  find(label: string): Candidate | undefined {
    return this.#stock.find((entry) => entry.label === label)
  }

  /** The entry of an exposed tool name. */
  findTool(exposed: string): Candidate | undefined {
    return this.#stock.find((entry) => entry.exposed === exposed, ['tools'])
  }

  isListed(kind: ListKind, exposed: string): boolean {
    return this.#listing?.has(kind, exposed) ?? false
  }

  /** Whether the client has not been given the tool's parameters. */
  hides(exposed: string): boolean {
    return this.#deferring && (this.#stock.isStubbed || !this.isListed('tools', exposed))
  }

  /** A tool was called: it stays listed, and what goes with it gains. */
  called(upstream: Upstream, tool: string, exposed: string): void {
    this.#listing?.called(exposed)
    this.#inUse.called(upstream.server.name, tool)
  }

  hints(): CatalogHints {
    const preferred = this.#inUse.preferred(this.#stock.servers())
    return { deferring: this.#deferring, ...(preferred.length > 0 && { preferred }) }
  }

  /** What was changed of a server's tools so that clients, and the LLM APIs behind them, take them. */
  changesOf(upstream: Upstream): object {
    const { repairs = [], lowered = [] } = this.#stock.servers().find((server) => server.upstream === upstream)?.prepared ?? {}
    return { ...(repairs.length > 0 && { repairs }), ...(lowered.length > 0 && { lowered: loweringSummary(lowered) }) }
  }

  /** What `sluice://servers` says of it. Counts what was not counted so far. */
  async describe() {
    this.#stock.countAll()
    await settledWithin([this.#filled()], DESCRIBE_WAIT_MS)
    const tools = this.#listing?.entries('tools') ?? []
    return {
      mode: this.#settings.mode,
      dialect: this.#stock.dialect,
      indexed: this.#deferring,
      rawBytes: this.#stock.rawBytes,
      listed: this.#counts((kind) => this.#listing?.entries(kind).length ?? 0),
      deferred: this.#counts((kind) => this.#all(kind) - (this.#listing?.entries(kind).length ?? 0)),
      toolTokens: listTokens(this.#ownTools.around(tools, (item) => this.#ownCosts.of(item))),
      ...(this.#deferring && { contextBudget: this.#settings.contextBudget }),
      unfitPins: this.#listing?.unfitPins ?? [],
      unknownPins: this.#stock.isExpecting ? [] : (this.#listing?.unknownPins ?? []),
    }
  }

  // --- internal ---

  get #settings(): Settings['catalog'] {
    return this.#options.settings.catalog
  }

  get #activates(): boolean {
    const { activation } = this.#settings
    return activation === 'on' || (activation === 'auto' && !DEFERS_TOOLS_ITSELF.test(this.#options.clientName))
  }

  /** Resolves when what landed is ready, and planned with if something was planned before. Never rejects. */
  async #filled(): Promise<void> {
    try {
      await Promise.all([this.#stock.fill(), this.#stock.needsCosts && this.#ownCosts.count()])
      if (this.#listing?.planned) this.#update()
    } catch (error) {
      this.#options.logger.error('catalog not updated', { error: messageOf(error) })
    }
  }

  #listingOf(): Listing {
    this.#listing ??= new Listing({
      own: () => this.#ownTools.whole().map((item) => this.#ownCosts.of(item)),
      rules: {
        pins: this.#settings.pins,
        allowlist: this.#settings.mode === 'manual' ? this.#settings.allowlist : undefined,
        usageOf: (server, tool) => this.#inUse.valueOf({ server, tool }),
      },
      affinity: () => {
        const affinity = this.#inUse.affinity()
        return (server, tool) => affinity.valueOf({ server, tool })
      },
    })
    return this.#listing
  }

  #ceilings(): Ceilings | undefined {
    if (!this.isLarge) return undefined
    const { maxTools, contextBudget, thresholdBytes } = this.#settings
    const templates = ownTemplates(this.#options.settings).reduce((sum, { json }) => sum + utf8Length(json) + 1, 0)
    const maxBytes = thresholdBytes - this.#instructionBytes - templates - WRAPPERS
    return { maxTools, maxTokens: contextBudget, maxBytes: Math.max(0, maxBytes) }
  }

  /** Brings the lists up to date, and tells the client what came out different. */
  #update(): void {
    const listing = this.#listingOf()
    const wasPlanned = listing.planned
    const wasDeferring = this.#deferring
    const servers = this.#stock.servers()
    const ceilings = this.#ceilings()
    const basis = [JSON.stringify(ceilings), this.#ownCosts.counted, ...servers.map(({ prepared }) => prepared)]
    if (wasPlanned && sameItems(basis, this.#basis)) return
    this.#basis = basis
    const before = LIST_KINDS.map((kind) => this.#entries(kind))
    listing.update({ servers, ceilings })
    this.#deferring = ceilings !== undefined || this.#stock.isStubbed || this.#hidesSome()
    this.#ownTools.settle(this.#deferring, listing.entries('tools').length)
    this.#reportPins(wasPlanned)
    // What is passed on whole was told as it landed.
    if (!wasPlanned || !(wasDeferring || this.#deferring)) return
    for (const [at, kind] of LIST_KINDS.entries()) {
      const earlier = before[at] ?? []
      if (!sameTexts(earlier, this.#entries(kind))) this.#options.changes.changed(kind, earlier.length === 0)
    }
  }

  #hidesSome(): boolean {
    return this.#stock.isActive && LIST_KINDS.some((kind) => this.#all(kind) > (this.#listing?.entries(kind).length ?? 0))
  }

  #entries(kind: ListKind): ListItem[] {
    const listed = (this.#listing?.entries(kind) ?? []).map(({ exposed, json }): ListItem => ({ key: exposed, json }))
    if (kind === 'resourceTemplates') return [...ownTemplates(this.#options.settings), ...listed]
    return kind === 'tools' ? this.#ownTools.around(listed, (item) => item) : listed
  }

  #all(kind: ListKind): number {
    return this.#stock.servers().reduce((sum, { entries }) => sum + entries[kind].length, 0)
  }

  #counts(count: (kind: ListKind) => number): object {
    return Object.fromEntries(LIST_KINDS.map((kind) => [kind, count(kind)]))
  }

  #reportPins(wasPlanned: boolean): void {
    if (wasPlanned || !this.#listing) return
    const { unfitPins } = this.#listing
    if (unfitPins.length > 0) this.#options.logger.warn('pins without room', { pins: unfitPins.join(', ') })
  }
}

// --- internal ---

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at])
}

function sameTexts(a: readonly ListItem[], b: readonly ListItem[]): boolean {
  return a.length === b.length && a.every(({ json }, at) => json === b[at]?.json)
}
