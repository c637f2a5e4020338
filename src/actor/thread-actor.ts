/** An actor on a worker thread of its own, reached through Comlink. */
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { releaseProxy, transfer, wrap } from 'comlink'
import { messageOf, SluiceError } from '../base/errors.js'
import type { Actor, AnswerOf } from './actor.js'
import { installErrorCodec } from './error-codec.js'
import { MAILBOX_LIMIT } from './mailbox.js'
import { nodeEndpoint } from './node-endpoint.js'
import { createPendingAsks } from './pending-asks.js'

export interface ThreadActorOptions {
  /** Shown by debuggers, and in the errors. */
  readonly name: string
  readonly workerData?: unknown
  readonly resourceLimits?: ResourceLimits
  /** Called once if the thread ends without having been stopped; pending asks have been rejected by then. */
  readonly onDeath?: (cause: SluiceError) => void
}

export interface ThreadActor<Api> extends Actor<Api> {
  /** For tests and diagnosis: ends the thread as a crash would; pending asks reject with ACTOR_DIED. */
  kill(): Promise<void>
}

/** @param url a worker file that calls {@link serve} */
export function openThreadActor<Api>(url: URL, options: ThreadActorOptions): ThreadActor<Api> {
  installErrorCodec()
  const { name, workerData, resourceLimits, onDeath } = options
  const worker = new Worker(url, {
    name,
    workerData,
    execArgv: [], // flags meant for the program (`--input-type`, preloads) can keep a thread from starting
    stdout: true,
    ...(resourceLimits && { resourceLimits }),
  })
  const call = wrap<(verb: string, args: unknown) => Promise<unknown>>(nodeEndpoint(worker))
  // Comlink's registry holds the worker for as long as the proxy is not released, and the worker holds all that it was made for.
  const asks = createPendingAsks()
  let posted = 0
  let ended: SluiceError | undefined
  let stopping: Promise<void> | undefined

  const die = (how: string) => {
    if (ended) return
    ended = new SluiceError('ACTOR_DIED', `the thread "${name}" ${how}`)
    call[releaseProxy]()
    asks.failAll(ended)
    onDeath?.(ended)
  }
  worker.on('error', (thrown) => die(`failed: ${messageOf(thrown)}`))
  worker.on('exit', (code) => die(`exited with code ${code}`))
  // Its sender is not known, so that one ask would never settle: better all fail.
  worker.on('messageerror', (thrown) => {
    die(`sent an unreadable message: ${messageOf(thrown)}`)
    void worker.terminate()
  })
  worker.stdout.on('data', (chunk: Buffer) => process.stderr.write(chunk)) // stdout belongs to MCP

  return {
    ask(verb, args, askOptions = {}) {
      if (ended) return Promise.reject(ended)
      // A busy thread does not see its mail, so its bound would come too late: this side counts as well.
      if (posted >= MAILBOX_LIMIT) return Promise.reject(new SluiceError('MAILBOX_FULL'))
      return asks.settle(verb, askOptions, async () => {
        posted++
        try {
          const given = askOptions.transfer ? transfer(args as object, [...askOptions.transfer]) : args
          return (await call(verb, given)) as AnswerOf<Api, typeof verb>
        } finally {
          posted--
        }
      })
    },
    get alive() {
      return ended === undefined
    },
    stop() {
      const first = ended === undefined
      ended = new SluiceError('ACTOR_STOPPED')
      asks.failAll(ended)
      if (first) call[releaseProxy]()
      stopping ??= terminate(worker)
      return stopping
    },
    async kill() {
      await worker.terminate()
    },
  }
}

// --- internal ---

const STOP_WAIT_MS = 2_000

/** Ends within STOP_WAIT_MS: a thread inside a native call ends only after it, and is left to that. */
async function terminate(worker: Worker): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STOP_WAIT_MS)
  })
  await Promise.race([worker.terminate(), patience])
  clearTimeout(timer)
  worker.unref()
}
