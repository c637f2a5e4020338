/** What crosses the thread between the coordinator and the compute pool: stateless work on plain data. */
import type { ErrorData } from '../base/errors.js'
import type { AuditPlace, AuditQuestion, AuditReport, CallBatch, StatsReport, ToolUseReport } from './audit-api.js'
import type { PrepareArgs, PreparedServer } from './catalog-api.js'
import type { FrameFacts } from './frame.js'
import type { ResultDiet, SlimmedResult } from './result-diet.js'
import type { ToolUse, UsageReading, UsageRecording } from './usage-api.js'

export interface TokenCount {
  readonly tokens: number
  /** True where the text was too long or too unbroken to be counted exactly. */
  readonly estimated: boolean
}

export const LIST_KINDS = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const

export type ListKind = (typeof LIST_KINDS)[number]

/** One entry of a list, as the server sent it. */
export interface ListItem {
  /** The name of a tool or prompt, the `uri` of a resource, the `uriTemplate` of a template. */
  readonly key: string
  /** The entry's own JSON text. */
  readonly json: string
}

/** A member that stands beside the entries in a list result: `_meta`, or one that nobody knows. */
export interface ListMember {
  readonly key: string
  /** The JSON text of its value. */
  readonly json: string
}

export interface ListPage {
  readonly items: readonly ListItem[]
  /** What the result had beside them and `nextCursor`. */
  readonly members: readonly ListMember[]
  /** Entries without a usable name, which nobody could call. */
  readonly dropped: number
  readonly nextCursor?: string
}

/** Where what was prepared is kept. */
export interface PreparedFile {
  /** Where the gateway keeps what it remembers. May not exist. */
  readonly dataDir: string
  /** Hexadecimal digits, others for every content and version. */
  readonly name: string
}

/** Each task's argument and result. A frame's buffer is transferred, and given back where the result has one. */
export interface ComputeTasks {
  /** What a large frame is whose ends do not tell. */
  frameFacts: { args: { frame: Uint8Array }; result: { facts: FrameFacts | undefined; frame: Uint8Array } }
  /** The entries of a large list response. */
  readList: { args: { frame: Uint8Array; kind: ListKind }; result: ListPage }
  /** A tool result made smaller. */
  slimResult: { args: { frame: Uint8Array; diet: ResultDiet }; result: SlimmedResult }
  /** o200k tokens of texts. */
  countTokens: { args: { texts: readonly string[] }; result: readonly TokenCount[] }
  /** A server's catalog made ready: listed entries with their costs, and documents for the index. */
  prepareServer: { args: PrepareArgs & { readonly keepAs?: PreparedFile }; result: PreparedServer }
  /** What was kept of an earlier preparation; undefined where there is none that this machine wrote. */
  loadPrepared: { args: PreparedFile; result: PreparedServer | undefined }
  /** Uses added to the usage file, all or none; USAGE_FILE. */
  recordUses: { args: { file: string; uses: readonly ToolUse[] }; result: UsageRecording }
  /** What was learned over earlier sessions; USAGE_FILE. */
  readUsage: { args: { file: string }; result: UsageReading }
  /** Calls counted, hashed and appended to the audit log; AUDIT_FILE. */
  recordCalls: { args: AuditPlace & { readonly batch: CallBatch }; result: undefined }
  /** The sums over the audit log, which may not exist; AUDIT_FILE. */
  readStats: { args: AuditPlace; result: StatsReport }
  /** How tools were used, by the audit log; AUDIT_FILE. */
  readToolUse: { args: AuditPlace; result: ToolUseReport }
  /** The audit log by tasks, priced; AUDIT_FILE. */
  readAudit: { args: AuditQuestion; result: AuditReport }
}

export type ComputeTask = keyof ComputeTasks

export interface ComputeJob<T extends ComputeTask = ComputeTask> {
  readonly task: T
  readonly args: ComputeTasks[T]['args']
}

/** Failures come back as data, since the pool loses an error's code. */
export type ComputeOutcome<T extends ComputeTask = ComputeTask> =
  | { readonly ok: ComputeTasks[T]['result'] }
  | { readonly error: ErrorData }
