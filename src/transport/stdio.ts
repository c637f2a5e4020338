/** One client over standard input and output: a line a message. */
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { WarmLoop } from '../base/warm-loop.js'
import type { ClientPort, ClientSession, RequestKey, SessionHost } from '../gateway/port.js'
import { errorFrame, frameFacts } from '../protocol/frame.js'
import { FrameSplitter } from '../protocol/frame-splitter.js'
import { textOf } from '../protocol/json-spans.js'
import { type Incoming, isNotification, isRequest, RPC } from '../protocol/messages.js'
import { agreedRevision } from './agreed-revision.js'
import { BATCH_REVISION, Batches } from './batches.js'
import { isFault, readMessages } from './read-messages.js'

interface StdioOptions {
  readonly host: SessionHost
  readonly input: Readable
  /** Where frames go; {@link openStdout} for the process's own. */
  readonly output: Writable
  /** A longer line is answered with an error and dropped. */
  readonly maxMessageBytes: number
  readonly logger: Logger
  readonly warmLoop?: WarmLoop
}

export interface StdioServer {
  /** The client is gone (end of input, broken output) or `close` was called, and the session is over. Never rejects. */
  readonly closed: Promise<void>
  /** Ends the session and flushes what was written, within 6 s. Idempotent. */
  close(): Promise<void>
}

export function serveStdio(options: StdioOptions): StdioServer {
  return new StdioConnection(options)
}

// --- internal ---

const NEWLINE = Buffer.from('\n')

/** Up to this size a frame is copied to go out with its line break in one piece; above it the two are written together. */
const COPY_BYTES = 16_384

/** While so much waits for the client to read, no more of its requests are taken. */
const MAX_BACKLOG = 64 * 1024 * 1024

/** `initialize` must not be part of one, so before it there are none either. */
const NO_BATCHES = `Invalid request: batches are part of revision ${BATCH_REVISION} only, after initialize; send one message a line`

/** How long requests in flight may take after the end of input. */
const GRACE_MS = 1000
const GRACE_STEP_MS = 5

/** How long a client that does not read may hold up the end. */
const FLUSH_MS = 1000

class StdioConnection implements StdioServer, ClientPort {
  readonly closed: Promise<void>
  readonly #options: StdioOptions
  readonly #session: ClientSession
  readonly #splitter: FrameSplitter
  readonly #batches = new Batches((frame) => this.#write(frame))
  /** The `initialize` that is not answered yet. */
  #initialize: RequestKey | undefined
  #revision: string | undefined
  #resolveClosed: () => void = () => undefined
  #ending = false
  #writable = true

  constructor(options: StdioOptions) {
    this.#options = options
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
    this.#splitter = new FrameSplitter(options.maxMessageBytes, {
      line: (bytes) => this.#receive(bytes),
      tooLong: (head, bytes) => this.#refuse(head, bytes),
    })
    this.#session = options.host.openSession({ id: randomUUID(), transport: 'stdio' }, this)
    this.#listen()
  }

  answer(request: RequestKey, frame: Uint8Array): void {
    if (request === this.#initialize) {
      this.#initialize = undefined
      this.#revision ??= agreedRevision(frame)
    }
    if (!this.#batches.answer(request, frame)) this.#write(frame)
  }

  push(frame: Uint8Array): void {
    this.#write(frame)
  }

  close(): Promise<void> {
    if (!this.#ending) void this.#end()
    return this.closed
  }

  #listen(): void {
    const { input, output, logger, warmLoop } = this.#options
    const ended = (reason: string) => () => {
      if (!this.#ending) logger.debug('client_gone', { reason })
      void this.close()
    }
    const broken = () => {
      this.#writable = false
      ended('output closed')()
    }
    input.on('data', (chunk: Uint8Array) => {
      this.#splitter.push(chunk)
      warmLoop?.touch()
    })
    input.on('end', () => {
      this.#splitter.end()
      this.#answered().then(ended('end of input'), ended('end of input'))
    })
    input.on('close', () => {
      if (!input.readableEnded) ended('input closed')()
    })
    input.on('error', ended('input failed'))
    output.on('error', broken)
    output.on('close', broken)
    output.on('drain', () => {
      if (!this.#ending) input.resume()
    })
  }

  /** A pipe of messages ends right after the last one, whose answer is still wanted: waits for what is in flight, GRACE_MS at most. */
  async #answered(): Promise<void> {
    const until = performance.now() + GRACE_MS
    while (this.#session.busy && this.#writable && performance.now() < until) await sleep(GRACE_STEP_MS)
  }

  #receive(line: Uint8Array): void {
    if (this.#ending) return
    const { batch, items } = readMessages(line)
    if (batch && this.#revision !== BATCH_REVISION) {
      this.#write(errorFrame('null', { code: RPC.invalidRequest, message: NO_BATCHES }))
      return
    }
    if (batch) this.#batches.open(items)
    for (const item of items) {
      if (!isFault(item)) this.#deliver(item)
      else if (!batch) this.#write(item.fault)
    }
  }

  #deliver(incoming: Incoming): void {
    const { message } = incoming
    if (isRequest(message) && message.method === 'initialize') this.#initialize ??= JSON.stringify(message.id)
    this.#session.receive(incoming)
    if (isNotification(message) && message.method === 'notifications/cancelled')
      this.#batches.cancelled(JSON.stringify(message.params?.['requestId']))
  }

  #refuse(head: Uint8Array, bytes: number): void {
    const facts = frameFacts(head)
    if (facts && facts.kind !== 'request') {
      this.#options.logger.warn('message_too_large', { bytes, limit: this.#options.maxMessageBytes })
      return
    }
    const idJson = facts && facts.idSpan.end < head.length ? textOf(head, facts.idSpan) : 'null'
    const message = `Invalid request: a message of ${bytes} bytes is over the limit of ${this.#options.maxMessageBytes} (maxMessageBytes)`
    this.#write(errorFrame(idJson, { code: RPC.invalidRequest, message }))
  }

  #write(frame: Uint8Array): void {
    if (!this.#writable) return
    const { input, output } = this.#options
    if (frame.length <= COPY_BYTES) output.write(Buffer.concat([frame, NEWLINE]))
    else {
      output.cork()
      output.write(frame)
      output.write(NEWLINE)
      output.uncork()
    }
    if (output.writableLength > MAX_BACKLOG) input.pause()
  }

  async #end(): Promise<void> {
    this.#ending = true
    await this.#session.close().catch((error: unknown) => {
      this.#options.logger.error('session_close_failed', { message: messageOf(error) })
    })
    this.#batches.end()
    await this.#flush()
    this.#writable = false
    this.#options.input.pause()
    this.#resolveClosed()
  }

  /** Resolves when everything written has left, the output broke, or FLUSH_MS are over. */
  #flush(): Promise<void> {
    const { output } = this.#options
    if (!this.#writable || output.writableLength === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(done, FLUSH_MS)
      output.once('close', done)
      output.write('', done)
    })
  }
}
