/** The HTTP transport with echo sessions behind it, and a raw client that has a session. */
import { silentLogger } from '../../src/base/logger.js'
import { type HttpOptions, type HttpServer, serveHttp } from '../../src/transport/http-server.js'
import { EchoHost } from './echo-host.js'
import { type Answer, type Event, eventsOf, GET_HEADERS, openRequest, POST_HEADERS, type RawHeaders, send } from './raw-http.js'

export interface HttpGateway extends HttpServer {
  readonly host: EchoHost
}

export async function startGateway(options: Partial<HttpOptions> = {}): Promise<HttpGateway> {
  const host = new EchoHost()
  const server = await serveHttp({
    host,
    hostname: '127.0.0.1',
    port: 0,
    sessionIdleMs: 60_000,
    logger: silentLogger,
    status: () => ({ upstreams: 0 }),
    ...options,
  })
  return { host, url: server.url, close: () => server.close() }
}

export const message = (id: number | undefined, method: string, params?: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

export const call = (id: number, name: string, args: object = {}) => message(id, 'tools/call', { name, arguments: args })

/** A session over raw requests. */
export class RawClient {
  readonly url: string
  readonly headers: RawHeaders

  private constructor(url: string, session: string, revision: string) {
    this.url = url
    this.headers = { 'mcp-session-id': session, 'mcp-protocol-version': revision }
  }

  static async open(url: string, revision = '2025-11-25'): Promise<RawClient> {
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const { headers } = await send(url, 'POST', POST_HEADERS, message(1, 'initialize', params))
    return new RawClient(url, String(headers['mcp-session-id']), revision)
  }

  post(body: string | Buffer, headers: RawHeaders = {}): Promise<Answer> {
    return send(this.url, 'POST', { ...POST_HEADERS, ...this.headers, ...headers }, body)
  }

  async stream(body: string, headers: RawHeaders = {}): Promise<Stream> {
    return this.#streamOf('POST', { ...POST_HEADERS, ...this.headers, ...headers }, body)
  }

  async listen(lastEventId?: string): Promise<Stream> {
    const resume: RawHeaders = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    return this.#streamOf('GET', { ...GET_HEADERS, ...this.headers, ...resume })
  }

  get(headers: RawHeaders): Promise<Answer> {
    return send(this.url, 'GET', { ...GET_HEADERS, ...this.headers, ...headers })
  }

  delete(): Promise<Answer> {
    return send(this.url, 'DELETE', this.headers)
  }

  async #streamOf(method: string, headers: RawHeaders, body?: string): Promise<Stream> {
    const { response, request } = await openRequest(this.url, method, headers, body)
    const type = String(response.headers['content-type'])
    if (type !== 'text/event-stream') throw new Error(`${response.statusCode} ${type}, not a stream`)
    return { events: eventsOf(response), breakOff: () => request.destroy(), response }
  }
}

export interface Stream {
  readonly events: AsyncGenerator<Event>
  readonly breakOff: () => void
  readonly response: Awaited<ReturnType<typeof openRequest>>['response']
}
