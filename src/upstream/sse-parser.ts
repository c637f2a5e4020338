/** Reads a text/event-stream from byte chunks, in time linear to its size however the chunks fall. */
import { asBuffer, LARGE_FRAME } from '../protocol/frame.js'
import { GatheredBytes } from '../protocol/gathered-bytes.js'
import { joinBytes } from './http-bytes.js'

interface SseEvent {
  /** `message` where the stream names none. */
  readonly type: string
  /** The data lines joined by LF; empty for an event that only carries an id. Above 64 KiB it has an ArrayBuffer of its own. */
  readonly data: Uint8Array
}

interface SseEvents {
  event(event: SseEvent): void
  /** The data of an event grew over the limit; it is skipped to its end. `head` is its first 64 KiB, `bytes` what came so far. */
  tooLong(head: Uint8Array, bytes: number): void
}

const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const COLON = 0x3a
const BOM = [0xef, 0xbb, 0xbf]
const LINE_BREAK = Uint8Array.of(LF)
const LONGEST_FIELD = 'retry'.length
const DATA = 'data:'
/** What a line may have besides its data: the mark at the start, the field's name, a colon and a space. */
const LINE_EXTRA = BOM.length + DATA.length + 1
/** What is kept of a line that is skipped. */
const HEAD_BYTES = LARGE_FRAME + LINE_EXTRA

export class SseParser {
  readonly #maxBytes: number
  readonly #events: SseEvents
  readonly #line: GatheredBytes
  #lineBytes = 0
  #afterCr = false
  #atStart = true
  #skipping = false
  #data: Uint8Array[] = []
  #dataBytes = 0
  #type = ''
  #nextId: string | undefined
  #lastEventId: string | undefined
  #retryMs: number | undefined

  /** @param maxBytes limit on the data of one event, and on a line of any kind */
  constructor(maxBytes: number, events: SseEvents) {
    this.#maxBytes = maxBytes
    this.#events = events
    this.#line = new GatheredBytes(maxBytes + LINE_EXTRA)
  }

  /** The id of the last complete event that set one; empty where the server took it back, undefined where there was none. */
  get lastEventId(): string | undefined {
    return this.#lastEventId
  }

  /** What the server asked to wait before connecting again, in ms. */
  get retryMs(): number | undefined {
    return this.#retryMs
  }

  push(chunk: Uint8Array): void {
    let from = this.#afterCr && chunk[0] === LF ? 1 : 0
    if (chunk.length > 0) this.#afterCr = false
    let lf = chunk.indexOf(LF, from)
    let cr = chunk.indexOf(CR, from)
    while (lf >= 0 || cr >= 0) {
      const at = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr
      this.#finishLine(chunk.subarray(from, at))
      from = at + 1
      if (at === cr && from === chunk.length) this.#afterCr = true
      if (at === cr && chunk[from] === LF) from++
      if (lf >= 0 && lf < from) lf = chunk.indexOf(LF, from)
      if (cr >= 0 && cr < from) cr = chunk.indexOf(CR, from)
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from))
  }

  // --- internal ---

  #hold(part: Uint8Array): void {
    this.#lineBytes += part.length
    if (this.#skipping) return
    if (this.#isTooLong(this.#lineBytes)) this.#skipLine(part, this.#lineBytes)
    else this.#line.add(part)
  }

  #finishLine(last: Uint8Array): void {
    const bytes = this.#lineBytes + last.length
    this.#lineBytes = 0
    if (this.#skipping) {
      if (bytes === 0) this.#dispatch()
    } else if (this.#isTooLong(bytes)) {
      this.#skipLine(last, bytes)
    } else {
      const line = this.#line.length === 0 && bytes <= LARGE_FRAME ? last : this.#wholeLine(last)
      this.#takeField(this.#atStart ? withoutBom(line) : line)
    }
    this.#atStart = false
  }

  #wholeLine(last: Uint8Array): Uint8Array {
    this.#line.add(last)
    return this.#line.take()
  }

  #isTooLong(lineBytes: number): boolean {
    return this.#dataBytes + lineBytes > this.#maxBytes + LINE_EXTRA
  }

  /** @param last the part of a line of `lineBytes` with which it became too long */
  #skipLine(last: Uint8Array, lineBytes: number): void {
    const { length } = this.#line
    if (length < HEAD_BYTES) this.#line.add(last.subarray(0, HEAD_BYTES - length))
    this.#skip(this.#line.head(HEAD_BYTES), lineBytes)
  }

  /** @param lineHead the first bytes of a line of `lineBytes` */
  #skip(lineHead: Uint8Array, lineBytes: number): void {
    const value = withoutBom(lineHead)
    const isData = asBuffer(value).toString('latin1', 0, DATA.length) === DATA
    const bytes = this.#dataBytes + lineBytes
    const head = joinBytes([...this.#data, isData ? afterColon(value, DATA.length - 1) : value], LARGE_FRAME)
    this.#skipping = true
    this.#line.clear()
    this.#data = []
    this.#events.tooLong(head, bytes)
  }

  #takeField(line: Uint8Array): void {
    if (line.length === 0) {
      this.#dispatch()
      return
    }
    const colon = line.indexOf(COLON)
    const nameEnd = colon < 0 ? line.length : colon
    if (nameEnd === 0 || nameEnd > LONGEST_FIELD) return
    const value = colon < 0 ? line.subarray(line.length) : afterColon(line, colon)
    const name = asBuffer(line).toString('latin1', 0, nameEnd)
    if (name === 'data') this.#takeData(value)
    else if (name === 'event') this.#type = asBuffer(value).toString('utf8')
    else if (name === 'id' && !value.includes(0)) this.#nextId = asBuffer(value).toString('utf8')
    else if (name === 'retry') this.#takeRetry(asBuffer(value).toString('latin1'))
  }

  #takeData(value: Uint8Array): void {
    const bytes = this.#dataBytes + value.length + (this.#data.length > 0 ? 1 : 0)
    if (bytes > this.#maxBytes) {
      this.#skip(joinBytes([Buffer.from(DATA), value], HEAD_BYTES), DATA.length + value.length)
      return
    }
    if (this.#data.length > 0) this.#data.push(LINE_BREAK)
    this.#data.push(value)
    this.#dataBytes = bytes
  }

  #takeRetry(digits: string): void {
    if (/^\d+$/.test(digits)) this.#retryMs = Number(digits)
  }

  #dispatch(): void {
    const [first, ...rest] = this.#data
    const event = first && { type: this.#type || 'message', data: rest.length > 0 ? joinBytes(this.#data) : first }
    if (this.#nextId !== undefined) this.#lastEventId = this.#nextId
    this.#skipping = false
    this.#data = []
    this.#dataBytes = 0
    this.#type = ''
    this.#nextId = undefined
    if (event) this.#events.event(event)
  }
}

function withoutBom(line: Uint8Array): Uint8Array {
  return BOM.every((byte, i) => line[i] === byte) ? line.subarray(BOM.length) : line
}

function afterColon(line: Uint8Array, colon: number): Uint8Array {
  return line.subarray(line[colon + 1] === SPACE ? colon + 2 : colon + 1)
}
