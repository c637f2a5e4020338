/** The wire to a server that is a child process: one JSON-RPC message a line on stdin and stdout, its log on stderr. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { SluiceError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { ellipsize } from '../base/utf8.js'
import type { WarmLoop } from '../base/warm-loop.js'
import { parseJson } from '../protocol/frame.js'
import { FrameSplitter } from '../protocol/frame-splitter.js'
import type { Link, LinkEvents, SendOptions } from './link.js'
import { endProcessTree } from './process-tree.js'
import { type StdioWire, spawnServer } from './spawn-server.js'
import { StderrTail } from './stderr-tail.js'
import { looksLikeMessage, messagesOf } from './stdio-lines.js'
import type { Watchdog } from './watchdog.js'

interface StdioLinkOptions {
  readonly wire: StdioWire
  /** The server's name, for the log. */
  readonly name: string
  /** All of the gateway's environment; `wire` decides how much of it the server gets. */
  readonly inheritedEnv: Readonly<Record<string, string>>
  readonly maxMessageBytes: number
  readonly logger: Logger
  readonly watchdog?: Watchdog
  readonly warmLoop?: WarmLoop
}

export function createStdioLink(options: StdioLinkOptions, events: LinkEvents): Link {
  return new StdioLink(options, events)
}

// --- internal ---

/** How long after the exit what is still in the pipe is waited for; a grandchild may hold the pipe open for ever. */
const DRAIN_MS = 500
const NOISE_CHARS = 500
const LOGGED_CHARS = 2000
const JOINED_BYTES = 65_536
const LF = Buffer.from('\n')

class StdioLink implements Link {
  readonly #options: StdioLinkOptions
  readonly #events: LinkEvents
  readonly #splitter: FrameSplitter
  readonly #stderr = new StderrTail()
  #child: ChildProcessWithoutNullStreams | undefined
  #lastNoise = ''
  #closedTold = false
  #draining = false
  #fault: string | undefined
  #initialized = false
  #closing: Promise<void> | undefined
  #ended: Promise<void> | undefined
  #familyEnded: Promise<void> | undefined

  constructor(options: StdioLinkOptions, events: LinkEvents) {
    this.#options = options
    this.#events = events
    this.#splitter = new FrameSplitter(options.maxMessageBytes, {
      line: (bytes) => this.#line(bytes),
      tooLong: (head, bytes) => this.#tooLong(head, bytes),
    })
  }

  async open(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#closing) throw new SluiceError('ABORTED')
    const { wire, inheritedEnv, watchdog } = this.#options
    const child = await spawnServer(wire, inheritedEnv)
    if (child.pid !== undefined) watchdog?.watch(child.pid)
    this.#child = child
    this.#listen(child)
    this.#ended = this.#untilDrained(child).then(() => this.#finish(child))
    if (!signal.aborted && this.#closing === undefined) return
    await this.#endChild()
    throw new SluiceError('ABORTED')
  }

  send(frame: Uint8Array, options: SendOptions = {}): void {
    const stdin = this.#child?.stdin
    if (!stdin?.writable) return
    const waiting = stdin.writableLength
    if (waiting > this.#options.maxMessageBytes) {
      const cause = new SluiceError('UPSTREAM_PROTOCOL', `it does not read its input; ${waiting} bytes are waiting for it`)
      if (options.requestId !== undefined) this.#events.requestFailed(options.requestId, cause)
      else this.#options.logger.warn('upstream_input_full', { server: this.#options.name, waiting })
      return
    }
    if (frame.length <= JOINED_BYTES) {
      stdin.write(Buffer.concat([frame, LF]))
      return
    }
    stdin.cork()
    stdin.write(frame)
    stdin.write(LF)
    stdin.uncork()
  }

  setProtocolVersion(): void {
    // Only HTTP repeats it.
  }

  initialized(): void {
    this.#initialized = true
  }

  reset(): void {
    // A process has no session to forget.
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    if (this.#ended !== undefined) await this.#endChild()
    else this.#tellClosed(undefined)
  }

  async #endChild(): Promise<void> {
    if (this.#child) this.#familyEnded ??= endProcessTree(this.#child)
    await this.#familyEnded
    await this.#ended
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    const { logger, name, warmLoop } = this.#options
    child.stdout.on('data', (chunk: Buffer) => {
      this.#splitter.push(chunk)
      warmLoop?.touch()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr.push(chunk)
      logger.debug('upstream_stderr', { server: name, text: chunk.toString('utf8', 0, LOGGED_CHARS) })
    })
    child.stdout.once('end', () => this.#deafOrMute(child, 'closed its output'))
    child.stdin.once('error', () => this.#deafOrMute(child, 'closed its input'))
    // EPIPE and the like: mostly the exit that follows tells why.
    for (const stream of [child.stdin, child.stdout, child.stderr, child]) {
      stream.on('error', (error) => logger.debug('upstream_pipe', { server: name, error: error.message }))
    }
  }

  /** Nothing can be said to it, or heard from it, any more. If that was not its exit, it is ended. */
  #deafOrMute(child: ChildProcessWithoutNullStreams, how: string): void {
    const look = () => {
      if (this.#child !== child || this.#familyEnded !== undefined) return
      this.#fault = how
      this.#familyEnded = endProcessTree(child, { voluntaryMs: 0 })
    }
    setTimeout(look, DRAIN_MS).unref()
  }

  /** Until the process is gone and its pipes are empty, or were waited for long enough. */
  #untilDrained(child: ChildProcessWithoutNullStreams): Promise<void> {
    return new Promise((resolve) => {
      let waited: NodeJS.Timeout | undefined
      child.once('exit', () => {
        waited = setTimeout(resolve, DRAIN_MS)
        this.#familyEnded ??= endProcessTree(child, { voluntaryMs: 0 })
      })
      child.once('close', () => {
        clearTimeout(waited)
        resolve()
      })
    })
  }

  async #finish(child: ChildProcessWithoutNullStreams): Promise<void> {
    this.#child = undefined
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    this.#draining = true
    this.#splitter.end()
    this.#tellClosed(this.#closing === undefined ? this.#exitError(child) : undefined)
    await this.#familyEnded
    if (child.pid !== undefined) this.#options.watchdog?.forget(child.pid)
  }

  #tellClosed(cause: SluiceError | undefined): void {
    if (this.#closedTold) return
    this.#closedTold = true
    this.#events.closed(cause)
  }

  #exitError({ exitCode, signalCode }: ChildProcessWithoutNullStreams): SluiceError {
    const how = this.#fault ?? (signalCode ? `was killed by ${signalCode}` : `exited with code ${exitCode}`)
    const when = this.#initialized ? '' : ' while starting'
    const words = this.#stderr.text || this.#lastNoise
    return new SluiceError('UPSTREAM_EXITED', `${how}${when}${words && `; it last wrote: ${words}`}`)
  }

  #line(bytes: Uint8Array): void {
    // What an ended process did not finish to write is no message; the requests it was to answer fail by the exit.
    if (this.#draining && parseJson(bytes) === undefined) {
      this.#noise(bytes)
      return
    }
    const messages = messagesOf(bytes)
    if (this.#closedTold) return
    for (const message of messages) this.#events.frame(message)
    if (messages.length === 0) this.#noise(bytes)
  }

  #tooLong(head: Uint8Array, bytes: number): void {
    if (looksLikeMessage(head)) this.#events.tooLong(head, bytes)
    else this.#noise(head)
  }

  #noise(bytes: Uint8Array): void {
    this.#lastNoise = ellipsize(Buffer.from(bytes.subarray(0, NOISE_CHARS * 4)).toString('utf8'), NOISE_CHARS)
    this.#events.noise(this.#lastNoise)
  }
}
