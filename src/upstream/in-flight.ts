/** The requests a server still owes an answer, each with its time limit. */
import type { SluiceError } from '../base/errors.js'
import type { Span } from '../protocol/json-spans.js'
import type { AnswerHandler } from './upstream.js'

interface FlightOptions {
  /** Undefined: no limit. */
  readonly timeoutMs: number | undefined
  /** The bytes, kept where they may have to be sent again. */
  readonly frame: Uint8Array | undefined
}

interface Flight extends FlightOptions {
  readonly handler: AnswerHandler
  timer: NodeJS.Timeout | undefined
  /** Its time stands still. */
  held: boolean
  lost: boolean
}

export class InFlight {
  readonly #flights = new Map<number, Flight>()
  readonly #timedOut: (id: number, timeoutMs: number) => void

  /** @param timedOut the request's limit has run out; it is still in flight */
  constructor(timedOut: (id: number, timeoutMs: number) => void) {
    this.#timedOut = timedOut
  }

  get size(): number {
    return this.#flights.size
  }

  get oldest(): number | undefined {
    return this.#flights.keys().next().value
  }

  add(id: number, handler: AnswerHandler, options: FlightOptions): void {
    const { timeoutMs, frame } = options
    this.#flights.set(id, { handler, timeoutMs, frame, timer: undefined, held: false, lost: false })
    if (timeoutMs !== undefined) this.touch(id)
  }

  /** Starts its time anew. */
  touch(id: number): void {
    const flight = this.#flights.get(id)
    if (flight?.timeoutMs === undefined || flight.held) return
    const { timeoutMs } = flight
    if (flight.timer) flight.timer.refresh()
    else flight.timer = setTimeout(() => this.#timedOut(id, timeoutMs), timeoutMs)
  }

  /** Stops its time, or starts it anew. */
  hold(id: number, held: boolean): void {
    const flight = this.#flights.get(id)
    if (!flight) return
    flight.held = held
    clearTimeout(flight.timer)
    flight.timer = undefined
    this.touch(id)
  }

  /** False if nobody waits for it. */
  answer(id: number, frame: Uint8Array, idSpan: Span): boolean {
    const flight = this.#take(id)
    flight?.handler.answer(frame, idSpan)
    return flight !== undefined
  }

  /** False if nobody waits for it. */
  fail(id: number, error: SluiceError): boolean {
    const flight = this.#take(id)
    flight?.handler.fail(error)
    return flight !== undefined
  }

  forget(id: number): boolean {
    return this.#take(id) !== undefined
  }

  failAll(error: SluiceError): void {
    for (const id of [...this.#flights.keys()]) this.fail(id, error)
  }

  /** The server forgot it. It may be sent again once; those that were before, or whose bytes were not kept, fail. */
  lose(id: number, error: SluiceError): void {
    const flight = this.#flights.get(id)
    if (!flight) return
    if (flight.lost || !flight.frame) this.fail(id, error)
    else flight.lost = true
  }

  /** The bytes of a lost request that still waits. */
  lostFrame(id: number): Uint8Array | undefined {
    const flight = this.#flights.get(id)
    return flight?.lost ? flight.frame : undefined
  }

  // --- internal ---

  #take(id: number): Flight | undefined {
    const flight = this.#flights.get(id)
    if (!flight) return undefined
    clearTimeout(flight.timer)
    this.#flights.delete(id)
    return flight
  }
}
