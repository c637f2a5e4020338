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

/** @param facts undefined: for who may not know more than that it lives */
export function replyHealth(request: IncomingMessage, response: ServerResponse, facts: HealthFacts | undefined): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    replyJson(response, 405, { error: `Method ${request.method} is not allowed on /healthz` })
    return
  }
  if (facts === undefined) {
    replyJson(response, 200, { status: 'ok' })
    return
  }
  const uptimeSeconds = Math.floor((Date.now() - facts.startedAtMs) / 1000)
  replyJson(response, 200, { status: 'ok', version: facts.version, uptimeSeconds, sessions: facts.sessions, ...facts.status })
}
