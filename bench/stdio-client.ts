/** The leanest MCP client over stdio: what it costs is not what is measured. */
import { type ChildProcess, spawn } from 'node:child_process'
import { FrameSplitter } from '../src/protocol/frame-splitter.js'
import { type BenchClient, type RawAnswer, rawAnswer } from './raw-answer.js'

const MAX_BYTES = 1 << 30

export class StdioClient implements BenchClient {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (answer: RawAnswer) => void>()
  #lastId = 0

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, ...env } })
    const splitter = new FrameSplitter(MAX_BYTES, { line: (line) => this.#receive(line), tooLong: () => undefined })
    this.#child.stdout?.on('data', (chunk: Buffer) => splitter.push(chunk))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** @param untilListed wait for the first list too */
  async initialize(untilListed = true): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' }
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    this.#send({ method: 'notifications/initialized' })
    if (untilListed) await this.request('tools/list', {})
  }

  request(method: string, params: object): Promise<RawAnswer> {
    const id = ++this.#lastId
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#send({ id, method, params })
    })
  }

  call(name: string, args: object): Promise<RawAnswer> {
    return this.request('tools/call', { name, arguments: args })
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.once('exit', () => resolve())
      this.#child.stdin?.end()
    })
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  /** The id stands at an end of every answer that the servers of the bench give. */
  #receive(line: Uint8Array): void {
    const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength)
    const head = /^\{"jsonrpc":"2\.0","id":(\d+)/.exec(bytes.toString('latin1', 0, 64))
    const tail = head ?? /"id":(\d+)\}$/.exec(bytes.toString('latin1', Math.max(0, bytes.length - 64)))
    const id = Number(tail?.[1])
    const resolve = this.#waiting.get(id)
    this.#waiting.delete(id)
    resolve?.(rawAnswer(bytes))
  }
}
