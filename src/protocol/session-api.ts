/** What crosses the thread between the coordinator and a session actor: readonly plain data and the verbs on it. */

import type { ResultFacts } from './audit-api.js'
import type { VectorFacts } from './vector-api.js'

/** What kind of result a frame carries; says where its text stands. */
export type ResultKind = 'tool' | 'resource' | 'prompt'

/** The names under which the gateway's own tools are listed; receipts, hits and errors use them. */
export interface ToolNames {
  readonly search: string
  readonly read: string
  readonly call: string
}

export interface OpenArgs {
  readonly session: string
  /** Text the session's index may hold, in UTF-8 bytes. */
  readonly maxIndexBytes: number
  readonly names: ToolNames
  /** Labels that an earlier, crashed actor of this session had given out; reading one says that it was lost. */
  readonly lostLabels: readonly string[]
  /** With vectors on: what embeds them. */
  readonly vector?: VectorFacts
  /** Where it has slept: it wakes with all that it had, unless that cannot be read. */
  readonly file?: string
}

export interface OpenAnswer {
  /** Whether it has what is in `file`; otherwise it is empty but for its lost labels. */
  readonly woke: boolean
}

export interface HibernateArgs extends SessionRef {
  /** Where its database is laid down, for its owner's eyes alone. */
  readonly file: string
}

/** Where it did not sleep, since it is still indexing, it goes on as before. */
export interface HibernateAnswer {
  readonly asleep: boolean
}

export interface IngestArgs {
  readonly session: string
  /** A whole JSON-RPC response; its buffer is transferred. */
  readonly frame: Uint8Array
  readonly kind: ResultKind
  /** The label the response gets if it is indexed. */
  readonly label: string
  /** Text above this many UTF-8 bytes is indexed. */
  readonly thresholdBytes: number
  /** Text of more characters (UTF-16 code units) that is not shown as a receipt is indexed too and cut in the middle. */
  readonly maxChars?: number | undefined
  /** The JSON text of the client's request id; it replaces the id of the frame. */
  readonly idJson: string
  /** Whether the answer is to tell what the audit log keeps of the response. */
  readonly withFacts?: boolean
}

/** Both carry the frame that goes to the client as it is, with the client's id. */
export type IngestAnswer =
  | {
      readonly kind: 'receipt'
      readonly frame: Uint8Array
      /** UTF-8 bytes of the response's text. */
      readonly bytes: number
      readonly lines: number
      readonly facts?: ResultFacts | undefined
    }
  | { readonly kind: 'pass'; readonly frame: Uint8Array; readonly facts?: ResultFacts | undefined }
  /** The bytes are no valid JSON-RPC response; `reason` says why. */
  | { readonly kind: 'invalid'; readonly reason: string }

export interface SearchArgs {
  readonly session: string
  /** At least one; each any text at all. */
  readonly queries: readonly string[]
  /** Keeps the sources whose label starts with it. */
  readonly source?: string
  /** Hits per query, 1 to 20. */
  readonly limit: number
  /** How long to wait for sources that are still being indexed. */
  readonly searchWaitMs: number
  /**
   * Whether hits of the catalog say to call them by the calling tool: something is deferred. Otherwise by their own name; false: the
   * catalog is searched only where `source` asks for it.
   */
  readonly deferring?: boolean
  /** Labels of the catalog that go well with what the session has used, best first; they win ties. */
  readonly preferred?: readonly string[]
}

export interface SearchAnswer extends ToolText {
  /** Labels of the catalog's documents that the answer shows, in the order of the answer, each once. */
  readonly shown: readonly string[]
}

/** All documents of one server; they take the place of those it had. */
export interface CatalogArgs {
  readonly session: string
  readonly alias: string
  /** JSON text (UTF-8) of {@link CatalogDoc}s, in shared memory. Empty: the server is gone. */
  readonly docs: Uint8Array
}

export interface ReadArgs {
  readonly session: string
  readonly label: string
  /** A line (`"41"`) or a part of a line (`"7-3"`), both from 1. */
  readonly offset: string
  /** Whole lines. */
  readonly limit: number
  /** The answer stays below this many UTF-8 bytes. */
  readonly maxBytes: number
}

/** The text of a tool result of the gateway's own. */
export interface ToolText {
  readonly text: string
  readonly isError: boolean
}

export interface OriginalArgs {
  readonly session: string
  readonly label: string
  /** The URI that each entry of `contents` names. */
  readonly uri: string
}

/** `json` is the JSON text of a ReadResourceResult (UTF-8); the texts in it are the response's own bytes, one entry a block. */
export type OriginalAnswer =
  | { readonly kind: 'contents'; readonly json: Uint8Array }
  | { readonly kind: 'missing'; readonly reason: string }

export interface LabelsArgs {
  readonly session: string
  readonly prefix: string
  /** At most so many are given. */
  readonly limit: number
}

/** Labels that can be read, newest first, and how many there are in all. */
export interface LabelsAnswer {
  readonly labels: readonly string[]
  readonly total: number
}

export interface SessionRef {
  readonly session: string
}

/** What a session actor's thread holds. */
export interface ThreadStatus {
  readonly sessions: number
  readonly sources: number
  /** UTF-8 bytes of text held. */
  readonly textBytes: number
  /** Sources whose text is not yet all searchable. */
  readonly pending: number
  /** With vectors on: passages that are not embedded yet. */
  readonly unembedded: number
}

/**
 * The verbs of a session actor's thread. One thread may hold several sessions, each with a database of its own; `session` says
 * which. Every verb but `open`, `close` and `status` fails with ACTOR_STOPPED for a session that is not open.
 */
export interface SessionApi {
  open(args: OpenArgs): Promise<OpenAnswer>
  ingest(args: IngestArgs): Promise<IngestAnswer>
  catalog(args: CatalogArgs): Promise<void>
  search(args: SearchArgs): Promise<SearchAnswer>
  read(args: ReadArgs): Promise<ToolText>
  original(args: OriginalArgs): Promise<OriginalAnswer>
  labels(args: LabelsArgs): Promise<LabelsAnswer>
  /** Lays the session's database down in a file and closes it. */
  hibernate(args: HibernateArgs): Promise<HibernateAnswer>
  close(args: SessionRef): Promise<void>
  status(args: Readonly<Record<string, never>>): Promise<ThreadStatus>
}
