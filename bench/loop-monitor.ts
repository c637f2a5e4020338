/** Preloaded into a gateway's process: tells, over the channel to its parent, how long its event loop was held up. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** In ms, of the time since it was last asked. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

if (isMainThread && process.send) {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs() })
  delay.enable()
  process.on('message', () => {
    const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs())
    process.send?.({ p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) } satisfies LoopDelay)
    delay.reset()
  })
  process.channel?.unref()
}

// --- internal ---

/** The monitor's own timer: what it is late beyond that is the loop's delay. */
function resolutionMs(): number {
  return 2
}
