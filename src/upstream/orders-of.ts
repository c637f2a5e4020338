/** The standing orders of a server, told to it by the gateway itself. */
import type { Logger } from '../base/logger.js'
import { requestFrame } from '../protocol/frame.js'
import { StandingOrders } from './standing-orders.js'
import type { Upstream } from './upstream.js'

/** What a server that is not ready is not told, it will be told when it is. That no answer comes is logged. */
export function ordersOf(upstream: Upstream, logger: Logger): StandingOrders {
  return new StandingOrders({
    tell: (method, params) => {
      if (upstream.state !== 'ready') return
      upstream.request((id) => requestFrame(id, method, params), {
        answer: () => undefined,
        fail: (error) => logger.warn('not_taken', { server: upstream.server.name, method, error: error.detail }),
      })
    },
    logs: () => 'logging' in (upstream.facts?.capabilities ?? {}),
  })
}
