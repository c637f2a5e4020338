/** The model in the gateway's embedding process, reached over a socket; outlives the process's restarts. */
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, SluiceError } from '../base/errors.js'
import type { ModelFacts, Vectors } from '../protocol/vector-api.js'
import type { Embedder } from './embedder.js'
import { receiveFrom, sendOver, type WireAnswer, type WireRequest } from './wire.js'

export interface RemoteEmbedderOptions {
  /** Where the process listens. */
  readonly socket: string
  readonly model: string
  /** How long a process that does not listen is waited for; 10 s by default. */
  readonly patienceMs?: number
}

/**
 * Connects when it is first asked. What the process took along when it died is asked again of the next one, twice at most: a text that
 * kills it must not do so for ever. Rejects with VECTOR_RUNTIME then, or where nothing listens.
 */
export function createRemoteEmbedder(options: RemoteEmbedderOptions): Embedder {
  const line = new Line(options.socket, options.patienceMs ?? PATIENCE_MS)
  const { model } = options
  const asked = async (request: Unnumbered): Promise<WireAnswer> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await line.ask(request)
      } catch (thrown) {
        if (!(thrown instanceof LineLost) || attempt >= ATTEMPTS) throw thrown
      }
    }
  }
  return {
    async load() {
      return member<ModelFacts>(await asked({ verb: 'load', model }), 'facts')
    },
    async embed(texts, role) {
      return member<Vectors>(await asked({ verb: 'embed', model, texts, role }), 'vectors')
    },
    async close() {
      line.close()
    },
  }
}

// --- internal ---

const PATIENCE_MS = 10_000
const RETRY_MS = 100
const ATTEMPTS = 3

type Unnumbered = WireRequest extends infer Request ? (Request extends WireRequest ? Omit<Request, 'id'> : never) : never

interface Waiting {
  resolve(answer: WireAnswer): void
  reject(error: SluiceError): void
}

/** The process ended before it had answered. */
class LineLost extends SluiceError {
  constructor() {
    super('VECTOR_RUNTIME', 'the embedding process ended while it was working')
  }
}

class Line {
  readonly #path: string
  readonly #patienceMs: number
  readonly #waiting = new Map<number, Waiting>()
  #socket: Promise<Socket> | undefined
  #lastId = 0
  #closed = false

  constructor(path: string, patienceMs: number) {
    this.#path = path
    this.#patienceMs = patienceMs
  }

  async ask(request: Unnumbered): Promise<WireAnswer> {
    this.#socket ??= this.#connected()
    const socket = await this.#socket
    const id = ++this.#lastId
    return new Promise<WireAnswer>((resolve, reject) => {
      if (this.#closed) return reject(new SluiceError('ACTOR_STOPPED'))
      if (socket.destroyed) return reject(new LineLost())
      this.#waiting.set(id, { resolve, reject })
      socket.ref()
      sendOver(socket, { ...request, id } as WireRequest)
    })
  }

  close(): void {
    this.#closed = true
    this.#fail(new SluiceError('ACTOR_STOPPED'))
    this.#socket?.then(
      (socket) => socket.destroy(),
      () => undefined, // it was told to those who asked
    )
    this.#socket = undefined
  }

  // --- internal ---

  /** Waits for a process that is being started. */
  async #connected(): Promise<Socket> {
    const until = performance.now() + this.#patienceMs
    for (;;) {
      if (this.#closed) throw new SluiceError('ACTOR_STOPPED')
      try {
        return this.#attend(await connect(this.#path))
      } catch (cause) {
        if (performance.now() < until && !this.#closed) await sleep(RETRY_MS)
        else {
          this.#socket = undefined
          throw new SluiceError('VECTOR_RUNTIME', `the embedding process cannot be reached: ${messageOf(cause)}`, { cause })
        }
      }
    }
  }

  #attend(socket: Socket): Socket {
    socket.unref() // an idle line keeps nobody alive
    receiveFrom<WireAnswer>(socket, (answer) => {
      this.#waiting.get(answer.id)?.resolve(answer)
      this.#waiting.delete(answer.id)
      if (this.#waiting.size === 0) socket.unref()
    })
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      this.#socket = undefined
      this.#fail(new LineLost())
    })
    return socket
  }

  #fail(error: SluiceError): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(error)
  }
}

function connect(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

function member<T>(answer: WireAnswer, key: string): T {
  if ('error' in answer) throw SluiceError.fromData(answer.error)
  return (answer as unknown as Record<string, unknown>)[key] as T
}
