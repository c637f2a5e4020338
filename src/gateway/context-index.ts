/** The session's index as the gateway uses it: what is ingested, searched and read, and what each becomes for the client. */
import type { SessionActor } from '../actor/session-tenant.js'
import { SluiceError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { ReadRequest, SearchRequest } from '../catalog/own-tools.js'
import type { Settings } from '../config/config.js'
import { ownBuffer } from '../protocol/frame.js'
import type {
  LabelsAnswer,
  LabelsArgs,
  OriginalAnswer,
  ResultKind,
  SearchAnswer,
  SearchArgs,
  ToolText,
} from '../protocol/session-api.js'
import type { Call } from './call.js'
import type { RunNumbers } from './run-numbers.js'

interface ContextIndexOptions {
  readonly actor: SessionActor
  readonly runNumbers: RunNumbers
  readonly settings: Settings
  readonly logger: Logger
  /** Whether the audit log is to be told of responses. */
  readonly audited: boolean
}

/** What a search of the catalog is told of the session. */
export type CatalogHints = Pick<SearchArgs, 'deferring' | 'preferred'>

export interface Candidate {
  readonly kind: ResultKind
  /** What the label is made of: the exposed name of the tool or prompt, or the name of the resource. */
  readonly labelBase: string
  readonly thresholdBytes: number
  /** Text of more characters that stays below the threshold is indexed too, and cut in the middle. */
  readonly maxChars?: number | undefined
}

/** 64 KiB of numbered text is 18,000 to 23,000 tokens. */
const READ_BYTES = 65_536
/** For clients that refuse results over 25,000 tokens. */
const CAREFUL_READ_BYTES = 49_152
const REFUSES_LARGE_RESULTS = /claude[-_ ]?code/i

export class ContextIndex {
  readonly #options: ContextIndexOptions

  constructor(options: ContextIndexOptions) {
    this.#options = options
  }

  /** A frame of no more bytes than the threshold cannot hold more text than it, nor more characters than it has bytes. */
  static concerns(frame: Uint8Array, candidate: Candidate | undefined): candidate is Candidate {
    if (candidate === undefined) return false
    const { thresholdBytes, maxChars } = candidate
    return frame.length > thresholdBytes || (maxChars !== undefined && frame.length > maxChars)
  }

  /** The frame that goes to the client in place of `frame`, with the client's id: a receipt, or the same with another id. */
  async ingest(call: Call, frame: Uint8Array, candidate: Candidate): Promise<Uint8Array> {
    const { actor, runNumbers, logger, audited } = this.#options
    const label = runNumbers.next(candidate.labelBase)
    const own = ownBuffer(frame)
    const { kind, thresholdBytes, maxChars } = candidate
    const args = { frame: own, kind, label, thresholdBytes, maxChars, idJson: call.idJson, withFacts: audited }
    const answer = await actor.ask('ingest', args, { transfer: [own.buffer] })
    if (answer.kind !== 'invalid') call.facts = answer.facts
    if (answer.kind === 'receipt') {
      call.receipt = true
      actor.remember(label)
      logger.debug('indexed', { label, bytes: answer.bytes, lines: answer.lines, sentBytes: answer.frame.length })
      return answer.frame
    }
    runNumbers.release(label)
    if (answer.kind === 'invalid')
      throw new SluiceError('UPSTREAM_PROTOCOL', `its answer is no valid message: ${answer.reason}`)
    return answer.frame
  }

  search(request: SearchRequest & CatalogHints, signal: AbortSignal): Promise<SearchAnswer> {
    const { actor, settings } = this.#options
    return actor.ask('search', { ...request, searchWaitMs: settings.searchWaitMs }, { signal })
  }

  /** A server's catalog, to be searched and read under `mcp/<alias>`. */
  furnish(alias: string, docs: Uint8Array): void {
    this.#options.actor.furnish(alias, docs)
  }

  read(request: ReadRequest, clientName: string, signal: AbortSignal): Promise<ToolText> {
    const maxBytes = REFUSES_LARGE_RESULTS.test(clientName) ? CAREFUL_READ_BYTES : READ_BYTES
    return this.#options.actor.ask('read', { ...request, maxBytes }, { signal })
  }

  original(label: string, uri: string, signal: AbortSignal): Promise<OriginalAnswer> {
    return this.#options.actor.ask('original', { label, uri }, { signal })
  }

  labels(request: Omit<LabelsArgs, 'session'>, signal: AbortSignal): Promise<LabelsAnswer> {
    return this.#options.actor.ask('labels', request, { signal })
  }

  /** For tests and diagnosis: ends the session's thread as a crash would. */
  kill(): Promise<void> {
    return this.#options.actor.kill()
  }

  close(): Promise<void> {
    return this.#options.actor.close()
  }
}
