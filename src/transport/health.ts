/** `/healthz`: whether the gateway lives, for people and probes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { replyJson } from './reply.js'

export interface HealthFacts {
  readonly version: string
  readonly startedAtMs: number
  readonly sessions: number
  /** More members for the answer. */
  readonly status: object
}

export function replyHealth(request: IncomingMessage, response: ServerResponse, facts: HealthFacts): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    replyJson(response, 405, { error: `Method ${request.method} is not allowed on /healthz` })
    return
  }
  const uptimeSeconds = Math.floor((Date.now() - facts.startedAtMs) / 1000)
  replyJson(response, 200, { status: 'ok', version: facts.version, uptimeSeconds, sessions: facts.sessions, ...facts.status })
}
