/** One session: its store, the queue that fills it, and the verbs on both. */
import { asSluiceError } from '../base/errors.js'
import { idSpanOf, withId } from '../protocol/frame.js'
import type {
  CatalogArgs,
  IngestAnswer,
  IngestArgs,
  LabelsAnswer,
  LabelsArgs,
  OpenArgs,
  OriginalAnswer,
  OriginalArgs,
  ReadArgs,
  SearchAnswer,
  SearchArgs,
  ThreadStatus,
  ToolText,
} from '../protocol/session-api.js'
import { DatabaseFile } from '../store/database-file.js'
import { SessionStore } from '../store/session-store.js'
import { parseCatalogDocs } from './catalog-docs.js'
import { IndexQueue } from './index-queue.js'
import { type Ingested, ingestFrame } from './ingest.js'
import { originalOf } from './original.js'
import { readSource } from './read-source.js'
import { searchSources } from './search-sources.js'
import { SessionVectors } from './session-vectors.js'

export class SessionIndex {
  readonly #session: OpenArgs
  readonly #store: SessionStore
  readonly #queue: IndexQueue
  readonly #vectors: SessionVectors | undefined
  readonly #onFault: (error: unknown) => void

  /** Whether it has what it had when it fell asleep. */
  readonly woke: boolean

  constructor(session: OpenArgs, onFault: (error: unknown) => void) {
    this.#session = session
    this.#onFault = onFault
    const woken = wokenStore(session, onFault)
    this.woke = woken !== undefined
    this.#store = woken ?? new SessionStore(session.maxIndexBytes)
    if (!this.woke) this.#store.markLost(session.lostLabels)
    this.#queue = new IndexQueue(this.#store, onFault, (source) => this.#vectors?.addSource(source))
    const isIndexing = () => this.#queue.busy
    this.#vectors = session.vector && new SessionVectors({ facts: session.vector, store: this.#store, isIndexing, onFault })
    // Vectors are not slept with.
    for (const { id } of this.#store.responses('')) this.#vectors?.addSource(id)
  }

  /** A response that cannot be indexed is not a response lost: it passes. */
  ingest(args: IngestArgs): IngestAnswer {
    const ingested = this.#ingested(args)
    if (ingested.kind === 'invalid') return ingested
    const frame = ownBytes(ingested.frame)
    if (ingested.kind === 'pass') return { kind: 'pass', frame, facts: ingested.facts }
    const { bytes, layout, facts } = ingested
    return { kind: 'receipt', frame, bytes, lines: layout.lines.count, facts }
  }

  catalog(args: CatalogArgs): void {
    const docs = parseCatalogDocs(args.docs)
    this.#store.replaceCatalog(args.alias, docs)
    this.#vectors?.addCatalog(args.alias, docs)
  }

  search(args: SearchArgs): Promise<SearchAnswer> {
    return searchSources({ store: this.#store, queue: this.#queue, session: this.#session, vectors: this.#vectors }, args)
  }

  read(args: ReadArgs): ToolText {
    return readSource(this.#store, this.#session, args)
  }

  original(args: OriginalArgs): OriginalAnswer {
    const answer = originalOf(this.#store, this.#session, args)
    return answer.kind === 'contents' ? { ...answer, json: ownBytes(answer.json) } : answer
  }

  labels({ prefix, limit }: LabelsArgs): LabelsAnswer {
    return this.#store.labelsFrom(prefix, limit)
  }

  status(): Omit<ThreadStatus, 'sessions'> {
    return { ...this.#store.totals(), unembedded: this.#vectors?.waiting ?? 0 }
  }

  /** Writes all of it to a file. False, and nothing done, while something is being indexed. */
  async layDown(file: string): Promise<boolean> {
    if (this.#queue.busy) return false
    await this.#store.file.layDown(file)
    return true
  }

  limitCache(kibibytes: number): void {
    this.#store.file.limitCache(kibibytes)
  }

  close(): void {
    this.#queue.stop()
    this.#vectors?.close().catch(this.#onFault)
    this.#store.close()
  }

  // --- internal ---

  #ingested(args: IngestArgs): Ingested {
    try {
      const ingested = ingestFrame(args, this.#session.names)
      if (ingested.kind !== 'receipt') return ingested
      const { text, lines, parts, heldBytes } = ingested.layout
      const source = this.#store.put({ label: args.label, bytes: heldBytes, text, lines, parts })
      this.#queue.add(source.id, ingested.layout.chunks())
      return ingested
    } catch (error) {
      this.#onFault(asSluiceError(error))
      const idSpan = idSpanOf(args.frame)
      if (!idSpan) return { kind: 'invalid', reason: 'the message could not be read' }
      return { kind: 'pass', frame: withId(args.frame, idSpan, args.idJson), facts: undefined }
    }
  }
}

// --- internal ---

/** Undefined where it has not slept, or its file cannot be read. */
function wokenStore({ maxIndexBytes, file }: OpenArgs, onFault: (error: unknown) => void): SessionStore | undefined {
  if (file === undefined) return undefined
  try {
    return new SessionStore(maxIndexBytes, new DatabaseFile(file))
  } catch (error) {
    onFault(asSluiceError(error))
    return undefined
  }
}

/** The bytes in an ArrayBuffer of their own, so that they can be transferred to another thread. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  const own = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength
  return own ? bytes : new Uint8Array(bytes)
}
