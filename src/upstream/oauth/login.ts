/** The login at one server as this process knows it: the token for its requests, renewed by one at a time over all processes. */
import { messageOf, SluiceError } from '../../base/errors.js'
import { fileVersion, watchFile } from '../../base/file-watch.js'
import type { Logger } from '../../base/logger.js'
import type { OAuthConfig } from '../../config/config.js'
import type { Challenge } from './challenge.js'
import { describeIssuerError, oauthErrorOf } from './issuer-requests.js'
import type { LoginFile, LoginTokens, StoredLogin } from './login-file.js'
import { joinScopes } from './scopes.js'

interface LoginOptions {
  readonly file: LoginFile
  readonly configured: OAuthConfig | undefined
  readonly logger: Logger
}

/** A token that ends so soon might end on its way. */
const EARLY_MS = 10_000
/** After a renewal ahead of time has failed, the old token is used for so long before the next try. */
const AGAIN_MS = 5000

export class Login {
  readonly #options: LoginOptions
  #loaded = false
  /** Of the file as it was last read. */
  #version = ''
  #tokens: LoginTokens | undefined
  /** When the token is to be renewed ahead of its end, in ms since the epoch. */
  #renewAt = Number.POSITIVE_INFINITY
  #renewing: Promise<string> | undefined

  constructor(options: LoginOptions) {
    this.#options = options
  }

  /** Whether {@link token} is good for a request at once; if not, {@link settle} makes it so. */
  get settled(): boolean {
    return this.#loaded && (this.#renewAt === Number.POSITIVE_INFINITY || Date.now() < this.#renewAt)
  }

  /** Undefined where there was no login. */
  get token(): string | undefined {
    return this.#tokens?.accessToken
  }

  /** Reads the login, and renews it where it is about to end; a renewal that fails for now leaves the old token. Rejects with UPSTREAM_LOGIN. */
  async settle(): Promise<string | undefined> {
    if (!this.#loaded) this.#adopt(await this.#read())
    const { token } = this
    if (this.settled || token === undefined) return token
    try {
      return await this.#renewOnce(token)
    } catch (error) {
      if (error instanceof SluiceError && error.code === 'UPSTREAM_LOGIN') throw error
      this.#renewAt = Date.now() + AGAIN_MS
      this.#options.logger.warn('login_not_renewed', { error: messageOf(error) })
      return token
    }
  }

  /**
   * A token in place of one that the server has refused, or that does not reach far enough.
   * Rejects with UPSTREAM_LOGIN or UPSTREAM_SCOPE where only a login helps, with UPSTREAM_CONNECT where trying again may.
   */
  renewed(refused: string | undefined, challenge: Challenge | undefined): Promise<string> {
    if (challenge?.wants === 'scope') return this.#widened(refused, challenge.scope)
    const { token } = this
    return token !== undefined && token !== refused ? Promise.resolve(token) : this.#renewOnce(refused)
  }

  /** Takes the tokens out of a text. */
  hide(text: string): string {
    return withoutTokens(text, this.#tokens)
  }

  /** Calls `changed` when a login in another process has changed the file since it was last read, until the function that comes back is called. */
  watch(changed: () => void): () => void {
    return watchFile(this.#options.file.path, this.#version, () => {
      this.#loaded = false
      changed()
    })
  }

  // --- internal ---

  /** What is on disk, unless it is of another client than the configured one. */
  async #read(): Promise<StoredLogin | undefined> {
    const { file, configured } = this.#options
    this.#version = await fileVersion(file.path)
    const login = await file.read()
    if (configured?.clientId === undefined) return login
    if (login?.client.client_id !== configured.clientId) return undefined
    const secret = configured.clientSecret
    return { ...login, client: { ...login.client, ...(secret !== undefined && { client_secret: secret }) } }
  }

  #adopt(login: StoredLogin | undefined): void {
    this.#loaded = true
    this.#tokens = login?.tokens
    const { expiresAt, refreshToken } = login?.tokens ?? {}
    this.#renewAt =
      expiresAt === undefined || refreshToken === undefined ? Number.POSITIVE_INFINITY : aheadOf(expiresAt, Date.now())
  }

  /** Requests of this process that were refused together wait for one renewal. */
  #renewOnce(refused: string | undefined): Promise<string> {
    this.#renewing ??= this.#renew(refused).finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #renew(refused: string | undefined): Promise<string> {
    return (await this.#newer(refused)) ?? (await this.#alone(() => this.#refresh(refused)))
  }

  /** The token on disk, if another process has put a newer one there. Rejects with UPSTREAM_LOGIN where there is none to renew. */
  async #newer(refused: string | undefined): Promise<string | undefined> {
    const login = await this.#read()
    this.#adopt(login)
    const tokens = login?.tokens
    if (tokens !== undefined && tokens.accessToken !== refused) return tokens.accessToken
    if (tokens?.refreshToken === undefined) throw needsLogin(refused === undefined ? undefined : 'its token is no longer valid')
    return undefined
  }

  /** Under the lock: whoever had it before us may have done it, and a refresh token that rotates is good for one use. */
  async #refresh(refused: string | undefined): Promise<string> {
    const newer = await this.#newer(refused)
    const login = newer === undefined ? await this.#read() : undefined
    if (newer !== undefined || !login?.tokens) return newer ?? Promise.reject(needsLogin(undefined))
    const { refreshTokens } = await import('./refresh-tokens.js')
    const tokens = await refreshTokens(login, login.tokens).catch((error: unknown) => this.#notRefreshed(login, error))
    const renewed = { ...login, tokens }
    this.#adopt(renewed)
    await this.#save(renewed).catch((error: unknown) =>
      this.#options.logger.error('login_not_kept', { error: messageOf(error) }),
    )
    return tokens.accessToken
  }

  async #notRefreshed(login: StoredLogin, error: unknown): Promise<never> {
    const code = oauthErrorOf(error)
    const why = withoutTokens(describeIssuerError(error), login.tokens)
    if (code === 'invalid_grant') {
      // So that nobody presents it again.
      this.#adopt(undefined)
      await this.#save({ ...login, tokens: undefined })
    }
    if (code !== undefined && FINAL.has(code)) throw needsLogin(`${login.issuer} says ${why}`, error)
    const detail = `the login could not be renewed at ${login.issuer}: ${why}`
    throw new SluiceError('UPSTREAM_CONNECT', detail, { cause: error })
  }

  /** Remembers the scope for the next login. A token that another process has got meanwhile may have it. */
  async #widened(token: string | undefined, scope: string | undefined): Promise<string> {
    const login = await this.#read()
    this.#adopt(login)
    if (login?.tokens && login.tokens.accessToken !== token) return login.tokens.accessToken
    if (login && joinScopes(login.wantedScope, scope) !== login.wantedScope) await this.#alone(() => this.#want(scope))
    const what = scope === undefined ? 'more rights' : `the scope "${scope}"`
    throw new SluiceError('UPSTREAM_SCOPE', `wants ${what} for this, which the login does not have`)
  }

  async #want(scope: string | undefined): Promise<void> {
    const login = await this.#read()
    if (login) await this.#save({ ...login, wantedScope: joinScopes(login.wantedScope, scope) })
  }

  /** The secret of a configured client is not written down again. */
  #save(login: StoredLogin): Promise<void> {
    const { client_id, token_endpoint_auth_method } = login.client
    const isConfigured = this.#options.configured?.clientId !== undefined
    const client = isConfigured ? { client_id, token_endpoint_auth_method } : login.client
    return this.#options.file.write({ ...login, client })
  }

  /** A lock that cannot be had is no reason to log in again. */
  #alone<T>(task: () => Promise<T>): Promise<T> {
    return this.#options.file.exclusively(task).catch((error: unknown) => {
      if (error instanceof SluiceError) throw error
      throw new SluiceError('UPSTREAM_CONNECT', `the login could not be renewed: ${messageOf(error)}`, { cause: error })
    })
  }
}

// --- internal ---

/** Errors of a token endpoint after which the same request will never do. */
const FINAL: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client'])

function needsLogin(why: string | undefined, cause?: unknown): SluiceError {
  return new SluiceError('UPSTREAM_LOGIN', `needs a login${why === undefined ? '' : ` (${why})`}`, { cause })
}

function withoutTokens(text: string, { accessToken, refreshToken }: Partial<LoginTokens> = {}): string {
  return [accessToken, refreshToken].reduce<string>((rest, token) => (token ? rest.replaceAll(token, '***') : rest), text)
}

/** Of a short life the last tenth is left. */
function aheadOf(expiresAt: number, now: number): number {
  return expiresAt - Math.min(EARLY_MS, Math.max(0, expiresAt - now) / 10)
}
