/** What the audit log is told of calls, what its lines say, and what is made of them, as it crosses threads. */
import type { TextSample } from '../base/text-sample.js'

/**
 * `call`: a tool of a server; `request`: any other request that went to a server; `search`, `read`: the gateway's own tools, and the
 * originals of responses; `list`: a list or its first page; `page`: a further one.
 */
export type CallKind = 'call' | 'request' | 'search' | 'read' | 'list' | 'page'

/** What calls have in common. */
export interface CallRoute {
  /** Drawn by lot for the session; not the id that its transport knows it by. */
  readonly session: string
  /** The name that the client gives itself. */
  readonly client: string
  /** The server's key in the configuration; null: the gateway itself. */
  readonly server: string | null
  /** The tool's own name; of what is no tool, the method. Null: a tool that does not exist. */
  readonly tool: string | null
  readonly kind: CallKind
}

/** What a session's actor has found of a result that it has parsed anyway. */
export interface ResultFacts {
  /** SHA-256 of the result's bytes. */
  readonly digest: Uint8Array
  /** What a model would have read of it. */
  readonly text: TextSample
  readonly isError: boolean
}

/** The numbers of a call in {@link CallBatch}, by their place. */
export const CALL_COLUMNS = [
  'route',
  'startedAt',
  'durationMs',
  'requestBytes',
  'responseBytes',
  'sentBytes',
  /** Length in `bytes` of what was asked, and whether that is a frame or the arguments alone. */
  'askedLength',
  'askedIs',
  /** Length in `bytes` of the answer, which follows; 0 where it stands elsewhere or nowhere. */
  'sentLength',
  'outcome',
] as const

export const ASKED_FRAME = 0
export const ASKED_ARGUMENTS = 1
export const ANSWERED = 0
/** A receipt took the place of the response. */
export const RECEIPT = 1
/** Cancelled, or its client went: there is no answer. */
export const UNANSWERED = 2

/** What only few calls have. */
export interface CallExtra {
  readonly facts?: ResultFacts
  /** An answer too large to be copied; its buffer is transferred. */
  readonly frame?: Uint8Array
  /** Of a list of tools: the definitions as the servers have them. */
  readonly definitions?: TextSample
}

/** Calls on their way into the log. All buffers are transferred. */
export interface CallBatch {
  readonly routes: readonly CallRoute[]
  /** As many numbers a call as there are {@link CALL_COLUMNS}. */
  readonly rows: Float64Array
  /** What was asked and answered, call after call. */
  readonly bytes: Uint8Array
  /** By the call's place among `rows`. */
  readonly extras: ReadonlyMap<number, CallExtra>
}

export interface AuditLimits {
  /** A file that would grow beyond is followed by another. */
  readonly maxFileBytes: number
  /** Of older files only the sums are kept. */
  readonly maxFiles: number
}

export interface AuditPlace {
  /** Where the gateway keeps what it remembers. */
  readonly dataDir: string
  readonly limits?: AuditLimits | undefined
}

/** A line of the log. Hashes are keyed with this machine's key, so that they tell nobody else anything. */
export interface AuditLine extends Omit<CallRoute, 'kind'> {
  /** When it began, ISO 8601. */
  readonly ts: string
  readonly kind: CallKind
  /** Of the arguments, their keys sorted; null where they were not kept. */
  readonly argsHash: string | null
  /** Of the server's result, or the error's object; null where there was none, or it was not kept. */
  readonly resultHash: string | null
  readonly requestBytes: number
  /** What the server sent. Of a list: all definitions of the servers. 0: no server was asked. */
  readonly responseBytes: number
  /** o200k tokens of the text in it, of a list those of the servers' definitions. */
  readonly responseTokens: number
  readonly sentBytes: number
  /** What reached the client. */
  readonly sentTokens: number
  /** Whether one of the two counts is an estimate. */
  readonly tokensEstimated: boolean
  readonly isError: boolean
  /** Whether a receipt took the place of the response. */
  readonly receipt: boolean
  readonly durationMs: number
}

/** Tokens over a lifetime. */
export interface LifetimeTokens {
  /** Of responses that a receipt took the place of. */
  readonly keptOut: number
  readonly receipts: number
  readonly searches: number
  readonly reads: number
  /** Definitions as the servers have them, once a session that has seen a list. */
  readonly definitions: number
  /** What sessions were listed instead. */
  readonly listed: number
  /** `keptOut + definitions - receipts - searches - reads - listed`. */
  readonly net: number
}

export interface ServerStats {
  readonly server: string
  readonly calls: number
  readonly errors: number
  readonly tokens: Pick<LifetimeTokens, 'keptOut' | 'receipts' | 'net'>
}

export interface StatsReport {
  /** The first and the last call's time; null before there is one. */
  readonly since: string | null
  readonly until: string | null
  readonly sessions: number
  readonly calls: number
  readonly errors: number
  readonly searches: number
  readonly reads: number
  readonly lists: number
  readonly tokens: LifetimeTokens
  /** Whether estimates are among the counts. */
  readonly tokensEstimated: boolean
  /** Most calls first. */
  readonly servers: readonly ServerStats[]
  /** Lines that could not be read. */
  readonly damagedLines: number
}

/** A tool's calls in the lines that are still kept. */
export interface ToolUseSums {
  /** Its key in the configuration. */
  readonly server: string
  /** The server's own name of it. */
  readonly tool: string
  readonly calls: number
  /** Of these, those whose response was indexed. */
  readonly receipts: number
  /** Tokens of the others. */
  readonly passedTokens: number
}

export interface ToolUseReport {
  readonly calls: number
  /** Most calls first. */
  readonly tools: readonly ToolUseSums[]
}

/** US$ per million tokens. */
export interface ModelRates {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
}

/** What is sent to a model: with the gateway, or as it would be without. */
export interface Spending {
  /** Requests at least: calls side by side come of one. */
  readonly requests: number
  /** Tokens of results, each counted once. */
  readonly results: number
  /** Tokens of definitions, in every request anew; none before a list was seen. */
  readonly definitions: number
  /** Those among them that no prompt cache can have yet: a task's first, and after a change of the list. */
  readonly definitionsWritten: number
}

/** US$. */
export interface SpendingPrice {
  readonly results: number
  /** Definitions, all at the input's rate. */
  readonly definitions: number
  /** The same with prompt caching: written at the input's rate, otherwise read from the cache. */
  readonly definitionsCached: number
}

export interface ModelPrice {
  readonly model: string
  readonly sluice: SpendingPrice
  readonly direct: SpendingPrice
  /** Of results: those that are errors, and those that came before. */
  readonly errors: number
  readonly duplicates: number
}

/** Calls of one session without a longer pause, or all of them. */
export interface WorkReport {
  readonly since: string
  readonly until: string
  readonly calls: number
  readonly searches: number
  readonly reads: number
  readonly errors: number
  /** The same call of the same task with the same result. */
  readonly duplicates: number
  readonly tokens: {
    readonly sluice: Spending
    readonly direct: Spending
    readonly errors: number
    readonly duplicates: number
    readonly estimated: boolean
  }
  readonly prices: readonly ModelPrice[]
}

export interface TaskReport extends WorkReport {
  readonly session: string
  readonly client: string
}

export interface AuditReport {
  /** The date of the rates. */
  readonly ratesAsOf: string
  readonly models: Readonly<Record<string, ModelRates>>
  readonly gapSeconds: number
  readonly damagedLines: number
  /** Null where nothing was recorded. */
  readonly total: WorkReport | null
  /** Oldest first. */
  readonly tasks: readonly TaskReport[]
}

export interface AuditQuestion extends AuditPlace {
  readonly gapMs: number
  readonly ratesAsOf: string
  readonly models: Readonly<Record<string, ModelRates>>
}
