/** The guard against DNS rebinding: who a request may come from and be addressed to. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Refusal } from './reply.js'

export interface OriginPolicy {
  /** Whether the server listens on a loopback address only; then the Host must be one, too. */
  readonly loopbackOnly: boolean
  /** Origins allowed besides those of loopback, as browsers send them: `https://app.example.com`. */
  readonly allowedOrigins: readonly string[]
}

/** What is wrong with a request's Host or Origin (403), or undefined. */
export function originFault(headers: IncomingHttpHeaders, policy: OriginPolicy): Refusal | undefined {
  const { host, origin } = headers
  if (policy.loopbackOnly && !isLoopback(hostnameOf(`http://${host ?? ''}`))) {
    return { status: 403, message: `Host "${host ?? ''}" is not allowed; use localhost or 127.0.0.1` }
  }
  if (origin === undefined || policy.allowedOrigins.includes(origin) || isLoopback(hostnameOf(origin))) return undefined
  return { status: 403, message: `Origin "${origin}" is not allowed` }
}

/** `localhost`, an address of 127.0.0.0/8, or `::1` with or without brackets. */
export function isLoopback(hostname: string | undefined): boolean {
  return hostname !== undefined && LOOPBACK.test(hostname)
}

/** Headers that let an allowed page read the answer. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate',
    vary: 'Origin',
  }
}

/** What a preflight is answered with besides {@link corsHeaders}. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  'access-control-allow-headers': 'Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Session-Id',
  'access-control-max-age': '86400',
}

// --- internal ---

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i

/** The hostname of an http(s) origin and of nothing more: no user, path or query. */
function hostnameOf(origin: string): string | undefined {
  return /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i.exec(origin)?.[1]
}
