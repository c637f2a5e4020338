/** Stateless CPU work on a pool of threads (Piscina), which exist only while there is work. */
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import type { Piscina } from 'piscina'
import { messageOf, SluiceError } from '../base/errors.js'
import type { ComputeJob, ComputeOutcome, ComputeTask, ComputeTasks } from '../protocol/compute-api.js'
import type { AskOptions } from './actor.js'
import { createPendingAsks } from './pending-asks.js'
import { workerUrl } from './worker-urls.js'

export interface ComputePool {
  /**
   * Always settles: with the task's result or error, with ABORTED, ACTOR_DIED (its thread ended) or ACTOR_STOPPED (closed).
   * An abort takes a waiting task out of the queue and ends the thread of a running one.
   */
  run<T extends ComputeTask>(
    task: T,
    args: ComputeTasks[T]['args'],
    options?: Pick<AskOptions, 'signal' | 'transfer'>,
  ): Promise<ComputeTasks[T]['result']>
  /** Ends the threads; pending tasks reject with ACTOR_STOPPED. Idempotent. */
  close(): Promise<void>
}

export interface ComputePoolOptions {
  /** Threads for everything but token counting, which has one of its own; by default the number of cores. */
  readonly maxThreads?: number
  /** The worker file, by default `workers/compute.js`. */
  readonly url?: URL
}

export function createComputePool(options: ComputePoolOptions = {}): ComputePool {
  const url = options.url ?? workerUrl('compute')
  const general = createLane({ url, maxThreads: options.maxThreads ?? availableParallelism() })
  const counting = createLane({ url, maxThreads: 1 })
  return {
    run: (task, args, runOptions = {}) => (isCounting({ task, args }) ? counting : general).run({ task, args }, runOptions),
    async close() {
      await Promise.all([general.close(), counting.close()])
    },
  }
}

// --- internal ---

/** Whether a task loads the tokenizer's tables, which take 60 MB. */
function isCounting({ task, args }: ComputeJob): boolean {
  if (task === 'countTokens' || task === 'recordCalls') return true
  return task === 'prepareServer' && (args as ComputeTasks['prepareServer']['args']).options.costs
}

/**
 * Piscina is not needed, so not loaded, before the first task. By `require`: `import()` of a CommonJS module may, on Node 20, give one
 * that is not evaluated yet while other imports go on, its `Piscina` undefined.
 */
function loadPiscina(): typeof Piscina {
  return (createRequire(import.meta.url)('piscina') as { Piscina: typeof Piscina }).Piscina
}

/** How long a thread stays when there is nothing to do; loading the tokenizer's tables anew takes a third of a second. */
const IDLE_MS = 10_000

/** With V8's own 48 MB for what is young, counting tokens for a while leaves 50 MB more behind. */
const LIMITS = { maxYoungGenerationSizeMb: 4 }

interface Lane {
  run<T extends ComputeTask>(job: ComputeJob<T>, options: AskOptions): Promise<ComputeTasks[T]['result']>
  close(): Promise<void>
}

interface LaneOptions {
  readonly url: URL
  readonly maxThreads: number
}

/** Threads that share one queue. */
function createLane(options: LaneOptions): Lane {
  const asks = createPendingAsks()
  let pool: Piscina | undefined
  let closed = false
  const open = () => {
    const opened = openPool(options)
    let broken = false
    opened.on('error', (thrown) => {
      if (broken) return
      broken = true // it would let the tasks behind a thread that cannot start wait for ever
      pool = undefined
      asks.failAll(new SluiceError('ACTOR_DIED', `a compute thread failed: ${messageOf(thrown)}`))
      void opened.destroy()
    })
    return opened
  }
  return {
    run: (job, runOptions) =>
      closed
        ? Promise.reject(new SluiceError('ACTOR_STOPPED'))
        : asks.settle(job.task, runOptions, async () => {
            pool ??= open()
            return runIn(pool, job, runOptions)
          }),
    async close() {
      closed = true
      asks.failAll(new SluiceError('ACTOR_STOPPED'))
      await pool?.destroy()
    },
  }
}

function openPool({ url, maxThreads }: LaneOptions): Piscina {
  const Pool = loadPiscina()
  return new Pool({
    filename: url.href,
    minThreads: 0,
    maxThreads,
    idleTimeout: IDLE_MS,
    recordTiming: false,
    resourceLimits: LIMITS,
  })
}

async function runIn<T extends ComputeTask>(
  pool: Piscina,
  job: ComputeJob<T>,
  { signal, transfer }: AskOptions,
): Promise<ComputeTasks[T]['result']> {
  const outcome = await dispatch(pool, job, { ...(signal && { signal }), transferList: [...(transfer ?? [])] })
  if ('error' in outcome) throw SluiceError.fromData(outcome.error)
  return outcome.ok
}

/** Failures of tasks are data; what the pool itself rejects with is the end of a thread, or arguments that cannot be sent. */
async function dispatch<T extends ComputeTask>(
  pool: Piscina,
  job: ComputeJob<T>,
  options: Parameters<Piscina['run']>[1],
): Promise<ComputeOutcome<T>> {
  try {
    return (await pool.run(job, options)) as ComputeOutcome<T>
  } catch (thrown) {
    const unsent = thrown instanceof Error && thrown.name === 'DataCloneError'
    throw new SluiceError(unsent ? 'ACTOR_FAILED' : 'ACTOR_DIED', `a compute thread failed: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
}
