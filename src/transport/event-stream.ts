/** A stream of events that outlives its connections: numbered, kept for a while, resumed where a client left off. */
import type { EventBuffer, Resumable } from './event-buffer.js'
import type { SseWriter } from './sse-writer.js'

/** What resuming would give: the missing events; nothing, for it is over; or a gap. */
type Resumption = 'possible' | 'over' | 'lost' | 'unknown'

export class EventStream implements Resumable {
  readonly id: string
  /** See {@link Resumable}. */
  lost = 0
  readonly #buffer: EventBuffer<EventStream>
  #last = 0
  #written = 0
  #known = false
  #finished = false
  #writer: SseWriter | undefined

  constructor(id: string, buffer: EventBuffer<EventStream>) {
    this.id = id
    this.#buffer = buffer
  }

  get connected(): boolean {
    return this.#writer?.open ?? false
  }

  /** Whether the client gets what is sent, now or by resuming: that takes an event id in its hands. */
  get reachable(): boolean {
    return !this.#finished && (this.#known || this.connected)
  }

  /** Sends on the connection there is, or keeps it for the next. */
  send(frame: Uint8Array): void {
    const event = ++this.#last
    const head = `id: ${this.id}-${event}\ndata: `
    const size = head.length + frame.length + END.length
    if (this.#buffer.fits(size)) {
      const bytes = Buffer.allocUnsafe(size)
      bytes.write(head, 'latin1')
      bytes.set(frame, head.length)
      bytes.set(END, size - END.length)
      this.#buffer.add(this, event, bytes)
      this.#writer?.write(bytes)
    } else {
      this.lost = event
      this.#writer?.write(Buffer.from(head, 'latin1'), frame, END)
    }
    if (this.connected) this.#mark(event)
  }

  /**
   * Goes on over another connection; the one before ends. The events behind number `after` that are still kept are sent again;
   * by default those that no connection has had. With `prime` the client first gets an id to resume from, in an event without data.
   */
  attach(writer: SseWriter, { after = this.#written, prime = false } = {}): void {
    this.#writer?.end()
    this.#writer = writer
    if (prime) this.#prime(after)
    for (const bytes of this.#buffer.after(this, after)) writer.write(bytes)
    if (this.#last > after) this.#mark(this.#last)
    if (this.#finished) writer.end()
    else writer.flush()
  }

  detach(writer: SseWriter): void {
    if (this.#writer === writer) this.#writer = undefined
  }

  resumption(after: number): Resumption {
    if (after > this.#last) return 'unknown'
    if (after < this.lost) return 'lost'
    return this.#finished && after === this.#last ? 'over' : 'possible'
  }

  /** No event will follow. What is kept can still be asked for. */
  finish(): void {
    this.#finished = true
    this.#writer?.end()
  }

  keepAlive(): void {
    this.#writer?.keepAlive()
  }

  // --- internal ---

  /** The entry of number 0 keeps the stream known after its end, so that a client that resumes it learns that nothing follows. */
  #prime(event: number): void {
    if (!this.#known && event === 0) this.#buffer.add(this, 0, NOTHING)
    this.#writer?.write(Buffer.from(`id: ${this.id}-${event}\ndata: \n\n`))
    this.#known = true
  }

  #mark(event: number): void {
    this.#written = event
    this.#known = true
  }
}

const END = Buffer.from('\n\n')
const NOTHING = new Uint8Array(0)
