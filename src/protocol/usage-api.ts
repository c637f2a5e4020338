/** What is learned from use, as it crosses threads: uses as they are recorded, scores as they are read. */

/** A tool of an upstream. */
export interface ToolRef {
  /** The server's key in the configuration, which stays when its alias changes. */
  readonly server: string
  /** The server's own name for it. */
  readonly tool: string
}

/** A call of a tool, or several alike in a short time. */
export interface ToolUse extends ToolRef {
  /** How many; 1 by default. */
  readonly times?: number
  /** What the same session called before. */
  readonly after?: ToolRef
  /** When, in milliseconds since 1970. */
  readonly atMs: number
}

export interface ToolScore extends ToolRef {
  /** Uses, each worth 1 at the time of the last recorded use of any tool, and less the longer before it was. */
  readonly score: number
}

export interface PairScore {
  readonly from: ToolRef
  /** The tool that was called next. */
  readonly to: ToolRef
  /** How often, in uses that fade as those of `score` do. */
  readonly weight: number
}

/** The most valuable first; equal ones by name. The same file gives the same scores whenever it is read. */
export interface UsageScores {
  readonly scores: readonly ToolScore[]
  readonly pairs: readonly PairScore[]
}

/** What the log should say about the file. */
export type UsageNotice =
  /** It was broken or not ours: it is kept under the name `to`, and learning starts anew. */
  | { readonly kind: 'set-aside'; readonly to: string; readonly why: string }
  /** A newer Sluice wrote it: it is neither read nor written. */
  | { readonly kind: 'newer'; readonly version: number }

export interface UsageReading extends UsageScores {
  readonly notice?: UsageNotice
}

export interface UsageRecording {
  readonly notice?: UsageNotice
}
