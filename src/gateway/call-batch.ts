/** Calls gathered for the audit log: numbers and bytes in two buffers, which are handed over as they are. */
import {
  ASKED_ARGUMENTS,
  ASKED_FRAME,
  CALL_COLUMNS,
  type CallBatch,
  type CallExtra,
  type CallRoute,
} from '../protocol/audit-api.js'

export interface RecordedCall {
  readonly route: CallRoute
  /** Ms since 1970. */
  readonly startedAt: number
  readonly durationMs: number
  readonly requestBytes: number
  readonly responseBytes: number
  readonly sentBytes: number
  /** The client's frame, or the JSON text of the arguments alone. */
  readonly asked: Uint8Array | string
  /** Undefined where the answer stands in `extra`, or there is none. */
  readonly sent: Uint8Array | undefined
  /** One of ANSWERED, RECEIPT, UNANSWERED. */
  readonly outcome: number
  readonly extra: CallExtra | undefined
}

export class CallBatchBuilder {
  readonly #routes = new Map<CallRoute, number>()
  readonly #rows = new Float64Array(MAX_CALLS * CALL_COLUMNS.length)
  readonly #bytes: Buffer
  readonly #extras = new Map<number, CallExtra>()
  #calls = 0
  #used = 0

  /** @param atLeast bytes that its first call needs */
  constructor(atLeast: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(atLeast, BYTES))
  }

  /** Bytes that it keeps until it is handed over. */
  get heldBytes(): number {
    return this.#bytes.length + this.#rows.byteLength
  }

  /** Whether a call with so many bytes has room. */
  fits(bytes: number): boolean {
    return this.#calls < MAX_CALLS && this.#used + bytes <= this.#bytes.length
  }

  /** Copies what is to be kept of a call that {@link fits}. */
  add(call: RecordedCall): void {
    const asked = this.#keep(call.asked)
    const sent = this.#keep(call.sent)
    if (call.extra) this.#extras.set(this.#calls, call.extra)
    const rows = this.#rows
    let at = this.#calls++ * CALL_COLUMNS.length
    // In the order of CALL_COLUMNS.
    rows[at++] = this.#routeAt(call.route)
    rows[at++] = call.startedAt
    rows[at++] = call.durationMs
    rows[at++] = call.requestBytes
    rows[at++] = call.responseBytes
    rows[at++] = call.sentBytes
    rows[at++] = asked
    rows[at++] = typeof call.asked === 'string' ? ASKED_ARGUMENTS : ASKED_FRAME
    rows[at++] = sent
    rows[at] = call.outcome
  }

  /** The batch and the buffers to transfer with it. It must not be used any more. */
  handOver(): { batch: CallBatch; transfer: ArrayBuffer[] } {
    const rows = this.#rows.subarray(0, this.#calls * CALL_COLUMNS.length)
    const bytes = this.#bytes.subarray(0, this.#used)
    const frames = [...this.#extras.values()].flatMap(({ frame }) => (frame ? [frame.buffer as ArrayBuffer] : []))
    const batch = { routes: [...this.#routes.keys()], rows, bytes, extras: this.#extras }
    return { batch, transfer: [rows.buffer, bytes.buffer as ArrayBuffer, ...frames] }
  }

  // --- internal ---

  #routeAt(route: CallRoute): number {
    let index = this.#routes.get(route)
    if (index === undefined) {
      index = this.#routes.size
      this.#routes.set(route, index)
    }
    return index
  }

  /** How many bytes it took. */
  #keep(bytes: Uint8Array | string | undefined): number {
    if (bytes === undefined) return 0
    const from = this.#used
    if (typeof bytes === 'string') this.#used += this.#bytes.write(bytes, from)
    else {
      this.#bytes.set(bytes, from)
      this.#used += bytes.length
    }
    return this.#used - from
  }
}

// --- internal ---

const MAX_CALLS = 1_024
const BYTES = 262_144
