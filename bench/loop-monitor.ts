/** Preloaded into a gateway's process: tells, over the channel to its parent, how long its event loop was held up. */
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** In ms, of the time since it was last asked. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** The longest without the time that the thread waited for a core: what its own work held up. */
  readonly ownMax: number
}

const TICK_MS = 2

if (isMainThread && process.send) watch(process.send.bind(process))

// --- internal ---

/** As perf_hooks' monitorEventLoopDelay does it, by the lateness of a timer, beside what the scheduler says of the same time. */
function watch(send: (message: LoopDelay) => void): void {
  let late: number[] = []
  let ownMax = 0
  let [due, waited] = [performance.now() + TICK_MS, waitedForCore()]
  const tick = () => {
    const now = performance.now()
    const waitedNow = waitedForCore()
    late.push(Math.max(0, now - due))
    ownMax = Math.max(ownMax, now - due - (waitedNow - waited))
    due = performance.now() + TICK_MS
    waited = waitedNow
    setTimeout(tick, TICK_MS).unref()
  }
  setTimeout(tick, TICK_MS).unref()
  process.on('message', () => {
    late.sort((a, b) => a - b)
    const at = (share: number) => late[Math.min(late.length - 1, Math.floor(share * late.length))] ?? 0
    send({ p50: at(0.5), p99: at(0.99), max: at(1), ownMax })
    late = []
    ownMax = 0
  })
  process.channel?.unref()
}

/** How long the main thread was ready to run and did not, in ms since it started; 0 where the system does not tell. */
function waitedForCore(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
