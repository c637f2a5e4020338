/** The HTTP server clients connect to: `/mcp` and `/healthz`, on loopback unless everybody needs a token. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf, SluiceError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { packageFacts } from '../base/version.js'
import type { SessionHost } from '../gateway/port.js'
import { type Access, NOBODY } from './access.js'
import { replyHealth } from './health.js'
import { McpEndpoint } from './mcp-endpoint.js'
import { corsHeaders, isLoopback, originFault, PREFLIGHT_HEADERS } from './origin-check.js'
import { type Refusal, refuse, replyEmpty, replyJson } from './reply.js'

export interface HttpOptions {
  readonly host: SessionHost
  /** A loopback name or address; any other needs an `access` that wants tokens. */
  readonly hostname: string
  /** 0: a free one. */
  readonly port: number
  /** A session without requests and streams ends after so long. */
  readonly sessionIdleMs: number
  /** 16 MiB by default. */
  readonly maxBodyBytes?: number
  /** Who may come in. By default everybody may, and is the same nobody. */
  readonly access?: Access
  /** Origins of web pages allowed besides those of loopback. */
  readonly allowedOrigins?: readonly string[]
  readonly logger: Logger
  /** More members for `/healthz`. */
  readonly status: () => object
}

export interface HttpServer {
  /** What clients are to use: `http://127.0.0.1:7411/mcp`. */
  readonly url: string
  /** Stops accepting, ends streams and sessions, drops connections; within 5 s. Idempotent. */
  close(): Promise<void>
}

/** Rejects with USAGE when the port is taken, the address is not ours, or a host beyond loopback is asked for without tokens. */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const { hostname, port, access } = options
  if (!isLoopback(hostname) && !access?.required) {
    const detail = `"${hostname}" can be reached from other machines and needs tokens; run "sluice token add <name>", or use --host 127.0.0.1`
    throw new SluiceError('USAGE', detail)
  }
  const endpoint = new McpEndpoint({ ...options, maxBodyBytes: options.maxBodyBytes ?? DEFAULT_BODY_BYTES })
  access?.onRevoked((id) => endpoint.expel(id))
  const server = createServer(TIMEOUTS, handlerOf(options, endpoint))
  try {
    await listen(server, hostname, port)
  } catch (error) {
    await endpoint.close()
    throw error
  }
  server.on('error', (error) => options.logger.error('http_server_failed', { message: error.message }))
  options.logger.info('http_listening', { url: urlOf(server) })
  let closed: Promise<void> | undefined
  return {
    url: urlOf(server),
    close: () => {
      closed ??= stop(server, endpoint)
      return closed
    },
  }
}

// --- internal ---

const DEFAULT_BODY_BYTES = 16 * 1024 * 1024

/** How long sessions may take to end before their connections are dropped. */
const CLOSE_MS = 4500

/** Head and body of a request must arrive in time; an answer may take as long as it likes. */
const TIMEOUTS = {
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5000,
}

function handlerOf(options: HttpOptions, endpoint: McpEndpoint) {
  const { logger, status, access, allowedOrigins = [] } = options
  const policy = { loopbackOnly: isLoopback(options.hostname), allowedOrigins }
  const { version } = packageFacts()
  const startedAtMs = Date.now()

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fault = originFault(request.headers, policy)
    if (fault) return refuse(response, fault)
    const { origin } = request.headers
    if (origin !== undefined) for (const [name, value] of Object.entries(corsHeaders(origin))) response.setHeader(name, value)
    if (request.method === 'OPTIONS') return replyEmpty(response, 204, PREFLIGHT_HEADERS)
    const path = pathOf(request.url)
    if (access?.metadata?.path === path) return replyJson(response, 200, access.metadata.body)
    const found = access?.required ? access.identify(request) : NOBODY
    const identity = found instanceof Promise ? await found : found
    if (path === '/healthz') {
      const facts = identity && { version, startedAtMs, sessions: endpoint.sessions, status: status() }
      return replyHealth(request, response, facts)
    }
    if (identity === undefined) return refuse(response, unauthorized(access?.challenge(request)))
    if (path !== '/mcp') return replyJson(response, 404, { error: `Nothing at ${path}; MCP is at /mcp` })
    await endpoint.handle({ request, response, identity })
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    route(request, response).catch((error: unknown) => {
      logger.error('http_request_failed', { message: messageOf(error) })
      if (response.headersSent) response.destroy()
      else refuse(response, { status: 500, message: 'Internal error' })
    })
  }
}

function unauthorized(challenge = 'Bearer'): Refusal {
  return { status: 401, message: 'A valid bearer token is needed', headers: { 'www-authenticate': challenge } }
}

function listen(server: Server, hostname: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(listenError(error, hostname, port))
    server.once('error', failed)
    server.listen({ host: hostname.replace(/^\[|\]$/g, ''), port }, () => {
      server.off('error', failed)
      resolve()
    })
  })
}

function listenError(error: NodeJS.ErrnoException, hostname: string, port: number): SluiceError {
  const what =
    error.code === 'EADDRINUSE'
      ? `port ${port} of ${hostname} is in use; choose another with --port`
      : `cannot listen on ${hostname}, port ${port}: ${error.message}`
  return new SluiceError('USAGE', what, { cause: error })
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/mcp`
}

function pathOf(url = '/'): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

async function stop(server: Server, endpoint: McpEndpoint): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  let deadline: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    deadline = setTimeout(resolve, CLOSE_MS)
  })
  await Promise.race([endpoint.close(), late])
  clearTimeout(deadline)
  server.closeAllConnections()
  await stopped
}
