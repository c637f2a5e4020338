/** Notifications from the client: cancellation and progress find their request, the rest goes to the session's own servers. */
import type { Incoming, JsonRpcId, JsonRpcNotification } from '../protocol/messages.js'
import type { UpstreamSet } from '../upstream/upstream-set.js'
import { type CallTable, requestKey } from './call.js'
import type { ServerRequests } from './server-requests.js'

interface Recipient {
  readonly client: unknown
  readonly upstreams: UpstreamSet
  readonly serverRequests: ServerRequests
}

export function clientNotification(session: Recipient, calls: CallTable, incoming: Incoming<JsonRpcNotification>): void {
  const { frame, message } = incoming
  if (!session.client) return
  switch (message.method) {
    case 'notifications/initialized':
      return
    case 'notifications/cancelled': {
      const call = calls.get(requestKey(message.params?.['requestId'] as JsonRpcId))
      if (!call || call.method === 'initialize') return
      calls.cancel(call, 'cancelled by the client', frame)
      return
    }
    case 'notifications/progress':
      session.serverRequests.progress(frame, message.params?.['progressToken'])
      return
    default:
      for (const upstream of session.upstreams.all()) {
        if (upstream.server.instances === 'session' && upstream.state === 'ready') upstream.send(frame)
      }
  }
}
