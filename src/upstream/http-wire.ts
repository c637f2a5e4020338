/** HTTP requests to one server over connections of our own, with its name for messages, its redirects and its encodings. */
import http from 'node:http'
import https from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import zlib from 'node:zlib'
import { messageOf, SluiceError } from '../base/errors.js'
import { ellipsize } from '../base/utf8.js'
import { readChallenge } from './oauth/challenge.js'
import type { Login } from './oauth/login.js'

export interface HttpWireOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly userAgent: string
  /** Gives requests their token, where the server asked for one. */
  readonly login?: Login | undefined
}

interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The wire's own URL by default. */
  readonly url?: URL
  /** Lower-case names. They win over the configured ones. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export interface HttpAnswer {
  readonly status: number
  /** `application/json`, without parameters; empty where there is none. */
  readonly mediaType: string
  readonly headers: http.IncomingHttpHeaders
  /** Content-Length of a body that is not encoded. */
  readonly declaredBytes: number | undefined
  /** Decoded. Must be read, resumed or dropped. */
  readonly body: Readable
  /** Ends the connection with what is still to come. */
  drop(): void
}

export interface Exchange {
  /**
   * Resolves with the headers. Rejects with UPSTREAM_CONNECT, UPSTREAM_PROTOCOL, UPSTREAM_LOGIN, UPSTREAM_SCOPE, or ABORTED when it was
   * dropped.
   */
  readonly answer: Promise<HttpAnswer>
  drop(): void
}

const MAX_REDIRECTS = 5
/** Another process may have renewed the token before, and again meanwhile. */
const MAX_RENEWALS = 2
/** Shorter than the five seconds after which many servers close an idle connection, so that a call does not meet its end. */
const IDLE_SOCKET_MS = 4000
const TCP_KEEP_ALIVE_MS = 30_000
const SHOWN_CHARS = 200

export class HttpWire {
  readonly url: URL
  readonly #fault: SluiceError | undefined
  readonly #client: typeof http | typeof https
  readonly #agent: http.Agent
  readonly #headers: Record<string, string>
  readonly #secrets: readonly string[]
  readonly #login: Login | undefined
  /** It has answered without a token: what it wants one for is not all of it. */
  #servesStrangers = false
  readonly #open = new Set<http.ClientRequest>()

  constructor(options: HttpWireOptions) {
    const url = URL.canParse(options.url) ? new URL(options.url) : undefined
    this.url = url ?? new URL('http://127.0.0.1')
    this.#fault = faultOf(url, options.headers)
    this.#client = url?.protocol === 'https:' ? https : http
    this.#agent = new this.#client.Agent({ keepAlive: true, keepAliveMsecs: TCP_KEEP_ALIVE_MS, timeout: IDLE_SOCKET_MS })
    const own = Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
    this.#headers = { 'user-agent': options.userAgent, ...Object.fromEntries(own), 'accept-encoding': 'identity' }
    this.#secrets = secretsOf(this.url, options.headers)
    this.#login = options.login
  }

  /** Throws UPSTREAM_CONNECT if the URL or a header can never work. */
  check(): void {
    if (this.#fault) throw this.#fault
  }

  /** `http://host:port`. The rest of a URL may hold secrets, and is not shown. */
  get name(): string {
    return this.url.origin
  }

  exchange(request: HttpRequest): Exchange {
    const state: ExchangeState = { request: undefined, dropped: false, token: undefined }
    const drop = () => {
      state.dropped = true
      state.request?.destroy()
    }
    const answer = this.#login ? this.#authorized(this.#login, request, state) : this.#follow(request, state)
    return { answer, drop }
  }

  /** Ends every exchange that is open. */
  dropAll(): void {
    for (const request of this.#open) request.destroy()
  }

  close(): void {
    this.dropAll()
    this.#agent.destroy()
  }

  /** What an answer says, on one line and short, without what is secret in the configuration. */
  quote(body: Uint8Array): string {
    const text = Buffer.from(body).toString('utf8').replace(/\s+/g, ' ').trim()
    return ellipsize(this.#redact(text), SHOWN_CHARS)
  }

  // --- internal ---

  #redact(text: string): string {
    const shown = this.#login?.hide(text) ?? text
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), shown)
  }

  /** With the login's token, and again with another one where the server does not take it: nothing was done for a request it refused so. */
  async #authorized(login: Login, request: HttpRequest, state: ExchangeState): Promise<HttpAnswer> {
    state.token = login.settled ? login.token : await login.settle()
    for (let left = MAX_RENEWALS; ; left--) {
      const answer = await this.#follow(request, state)
      const { status } = answer
      if (status !== 401 && status !== 403) {
        if (state.token === undefined && status < 300) this.#servesStrangers = true
        return answer
      }
      const challenge = readChallenge(status, answer.headers['www-authenticate'])
      // Without a challenge and without a token there is nothing that a login could mend.
      if (!challenge && (status === 403 || state.token === undefined)) return answer
      answer.drop()
      if (left === 0) throw new SluiceError('UPSTREAM_LOGIN', 'needs a login (it refuses the token of the one that is there)')
      state.token = await login.renewed(state.token, challenge).catch((error: unknown) => {
        if (state.token !== undefined || !this.#servesStrangers) throw error
        throw new SluiceError('UPSTREAM_SCOPE', 'needs a login for this', { cause: error })
      })
    }
  }

  async #follow(request: HttpRequest, state: ExchangeState): Promise<HttpAnswer> {
    let url = request.url ?? this.url
    for (let hops = 0; ; hops++) {
      const response = await this.#once(url, request, state)
      const target = redirectTarget(response, url)
      if (!target) return this.#answerOf(response, state)
      response.resume()
      if (target.origin !== url.origin) {
        throw new SluiceError(
          'UPSTREAM_CONNECT',
          `${this.name} redirects to ${target.origin}; if that is right, put it in the url`,
        )
      }
      if (hops === MAX_REDIRECTS) throw new SluiceError('UPSTREAM_CONNECT', `${this.name} redirects in circles`)
      url = target
    }
  }

  #once(url: URL, request: HttpRequest, state: ExchangeState): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown) => reject(state.dropped ? new SluiceError('ABORTED') : this.#unreachable(cause))
      if (state.dropped) {
        fail(undefined)
        return
      }
      const length = request.body ? { 'content-length': String(request.body.length) } : {}
      const headers: Record<string, string> = { ...this.#headers, ...request.headers, ...length }
      if (state.token !== undefined) headers['authorization'] = `Bearer ${state.token}`
      const sent = this.#client.request(url, { method: request.method, agent: this.#agent, headers })
      state.request = sent
      this.#open.add(sent)
      sent.once('close', () => {
        this.#open.delete(sent)
        fail(new Error('the connection was closed'))
      })
      sent.on('error', fail)
      sent.once('response', resolve)
      sent.end(request.body)
    })
  }

  #answerOf(response: http.IncomingMessage, state: ExchangeState): HttpAnswer {
    const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
    const decoder = encoding === 'identity' || encoding === '' ? undefined : DECODERS.get(encoding)?.()
    const drop = () => {
      state.request?.destroy()
    }
    if (!decoder && encoding !== 'identity' && encoding !== '') {
      drop()
      throw new SluiceError('UPSTREAM_PROTOCOL', `${this.name} answered in the encoding "${encoding}", which was not asked for`)
    }
    const body = decoder ? pipeline(response, decoder, () => undefined) : response
    // Whoever reads the body hears of its errors; one that is dropped unread must not end the process.
    body.on('error', () => undefined)
    const length = Number(response.headers['content-length'])
    return {
      status: response.statusCode ?? 0,
      mediaType: (response.headers['content-type'] ?? '').split(';', 1).join('').trim().toLowerCase(),
      headers: response.headers,
      declaredBytes: decoder || !Number.isSafeInteger(length) ? undefined : length,
      body,
      drop,
    }
  }

  #unreachable(cause: unknown): SluiceError {
    const code = (cause as NodeJS.ErrnoException | undefined)?.code
    if (code?.startsWith('HPE_')) {
      return new SluiceError('UPSTREAM_CONNECT', `what answers at ${this.name} is no HTTP (${code})`, { cause })
    }
    const why = code ?? this.#redact(messageOf(cause))
    return new SluiceError('UPSTREAM_CONNECT', `cannot reach ${this.name} (${why})`, { cause })
  }
}

interface ExchangeState {
  request: http.ClientRequest | undefined
  dropped: boolean
  token: string | undefined
}

const FLUSHED = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }

const DECODERS: ReadonlyMap<string, () => zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress> = new Map([
  ['gzip', () => zlib.createGunzip(FLUSHED)],
  ['x-gzip', () => zlib.createGunzip(FLUSHED)],
  ['deflate', () => zlib.createInflate(FLUSHED)],
  ['br', () => zlib.createBrotliDecompress()],
])

/** Where a redirect leads that keeps the method and the body; undefined if it is none. */
function redirectTarget(response: http.IncomingMessage, from: URL): URL | undefined {
  const location = response.headers.location
  if ((response.statusCode !== 307 && response.statusCode !== 308) || !location || !URL.canParse(location, from.href))
    return undefined
  const target = new URL(location, from)
  target.username = from.username
  target.password = from.password
  return target
}

function faultOf(url: URL | undefined, headers: Readonly<Record<string, string>>): SluiceError | undefined {
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    return new SluiceError('UPSTREAM_CONNECT', 'the url is no http or https URL')
  }
  for (const [name, value] of Object.entries(headers)) {
    try {
      http.validateHeaderName(name)
      http.validateHeaderValue(name, value)
    } catch (cause) {
      return new SluiceError(
        'UPSTREAM_CONNECT',
        `the header ${JSON.stringify(name)} has a character that HTTP does not allow`,
        { cause },
      )
    }
  }
  return undefined
}

/** What a server that echoes its request could show; words too short to be a secret would only garble the text. */
function secretsOf(url: URL, headers: Readonly<Record<string, string>>): string[] {
  const pairs = url.search.slice(1).split('&')
  const raw = [url.password, ...pairs.map((pair) => pair.slice(pair.indexOf('=') + 1)), ...Object.values(headers)]
  const decoded = [
    ...url.searchParams.values(),
    ...Object.values(headers).map((value) => value.replace(/^(?:Bearer|Basic) /i, '')),
  ]
  return [...new Set([...raw, ...decoded])].filter((secret) => secret.length > 2).sort((a, b) => b.length - a.length)
}
