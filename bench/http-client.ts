/** The leanest MCP client over Streamable HTTP: what it costs is not what is measured. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { type BenchClient, type RawAnswer, rawAnswer } from './raw-answer.js'

export class HttpClient implements BenchClient {
  readonly #url: URL
  readonly #agent: Agent
  #session: string | undefined
  #lastId = 0

  /** @param agent connections that are shared with other clients */
  constructor(url: string, agent = new Agent({ keepAlive: true })) {
    this.#url = new URL(url)
    this.#agent = agent
  }

  /** @param untilListed wait for the first list too */
  async initialize(untilListed = true): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' }
    await this.request('initialize', { protocolVersion: REVISION, capabilities: {}, clientInfo })
    await this.#post({ method: 'notifications/initialized' })
    if (untilListed) await this.request('tools/list', {})
  }

  async request(method: string, params: object): Promise<RawAnswer> {
    const id = ++this.#lastId
    const { headers, body } = await this.#post({ id, method, params })
    const session = headers['mcp-session-id']
    if (typeof session === 'string') this.#session = session
    return rawAnswer(headers['content-type'] === 'text/event-stream' ? eventWith(body, id) : body)
  }

  call(name: string, args: object): Promise<RawAnswer> {
    return this.request('tools/call', { name, arguments: args })
  }

  /** A call that is cancelled as soon as it is under way. */
  async cancelled(name: string, args: object): Promise<void> {
    const id = ++this.#lastId
    const call = this.#post({ id, method: 'tools/call', params: { name, arguments: args } })
    await new Promise((resolve) => setTimeout(resolve, 2))
    await this.#post({ method: 'notifications/cancelled', params: { requestId: id } })
    await call
  }

  /** Ends the session; connections that are its own close with their agent. */
  async close(): Promise<void> {
    await this.#send('DELETE')
  }

  // --- internal ---

  #post(message: object): Promise<Response> {
    return this.#send('POST', Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })))
  }

  #send(method: string, body?: Buffer): Promise<Response> {
    const headers = {
      accept: 'application/json, text/event-stream',
      ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session, 'mcp-protocol-version': REVISION }),
    }
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }))
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

// --- internal ---

const REVISION = '2025-11-25'

interface Response {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The data of the last event, which answers the request. */
function eventWith(body: Buffer, id: number): Buffer {
  const at = body.lastIndexOf('\ndata: ')
  const start = at < 0 ? body.indexOf('data: ') + 6 : at + 7
  const end = body.indexOf('\n', start)
  const data = body.subarray(start, end < 0 ? body.length : end)
  if (!data.includes(`"id":${id}`)) throw new Error(`no answer to request ${id}`)
  return data
}
