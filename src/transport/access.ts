/** Who may come in over HTTP, and as whom: clients with a token of ours or, where an issuer is configured, with one of its JWTs. */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { messageOf } from '../base/errors.js'
import { fileVersion, watchFile } from '../base/file-watch.js'
import type { Logger } from '../base/logger.js'
import type { JwtConfig } from '../config/config.js'
import { type JwtCheck, jwtCheck, resourceMetadata } from './jwt-check.js'
import { hashOf, type KnownToken, type TokenFile } from './token-file.js'

export interface Identity {
  /** Unlike that of anybody else; a session belongs to it. Empty: nobody in particular. */
  readonly id: string
  /** By which settings for one client find it; undefined: by the name that the client gives itself. */
  readonly name: string | undefined
}

/** Everybody, where nobody needs a token. */
export const NOBODY: Identity = { id: '', name: undefined }

export interface Access {
  /** Whether everybody needs a token. Once it was so it stays so, so that revoking the last one opens nothing. */
  readonly required: boolean
  /** Undefined for who has no token, or none that is known. */
  identify(request: IncomingMessage): Identity | undefined | Promise<Identity | undefined>
  /** WWW-Authenticate of a 401. */
  challenge(request: IncomingMessage): string
  /** What is published of this server as a protected resource (RFC 9728), and where; undefined without an issuer. */
  readonly metadata: { readonly path: string; readonly body: object } | undefined
  /** `gone` is told of each identity that may not come in any more. */
  onRevoked(gone: (id: string) => void): void
  close(): void
}

interface AccessOptions {
  readonly tokens: TokenFile
  readonly jwt: JwtConfig | undefined
  readonly logger: Logger
}

/** Rejects with TOKEN_FILE. */
export async function openAccess(options: AccessOptions): Promise<Access> {
  const access = new HttpAccess(options)
  await access.open()
  return access
}

// --- internal ---

class HttpAccess implements Access {
  readonly metadata: Access['metadata']
  readonly #options: AccessOptions
  readonly #jwt: JwtCheck | undefined
  #known: readonly { readonly name: string; readonly hash: Buffer }[] = []
  #required: boolean
  #gone: (id: string) => void = () => undefined
  #unwatch: (() => void) | undefined

  constructor(options: AccessOptions) {
    const { jwt, logger } = options
    this.#options = options
    this.#jwt = jwt && jwtCheck(jwt, logger)
    this.metadata = jwt && resourceMetadata(jwt)
    this.#required = jwt !== undefined
  }

  get required(): boolean {
    return this.#required
  }

  async open(): Promise<void> {
    const { tokens } = this.#options
    const version = await fileVersion(tokens.path)
    this.#take(await tokens.read())
    this.#unwatch = watchFile(tokens.path, version, () => void this.#reload())
  }

  identify({ headers }: IncomingMessage): Identity | undefined | Promise<Identity | undefined> {
    const bearer = bearerIn(headers.authorization)
    if (bearer === undefined) return undefined
    const name = this.#nameOf(bearer)
    if (name !== undefined) return { id: idOf(name), name }
    return this.#jwt?.(bearer).then((subject) => (subject === undefined ? undefined : { id: `jwt:${subject}`, name: subject }))
  }

  challenge({ headers }: IncomingMessage): string {
    const error = headers.authorization === undefined ? [] : ['error="invalid_token"']
    const origin = originOf(this.#options.jwt) ?? `http://${HOST.exec(headers.host ?? '')?.[0] ?? 'localhost'}`
    const where = this.metadata === undefined ? [] : [`resource_metadata="${origin}${this.metadata.path}"`]
    const params = [...error, ...where].join(', ')
    return params === '' ? 'Bearer' : `Bearer ${params}`
  }

  onRevoked(gone: (id: string) => void): void {
    this.#gone = gone
  }

  close(): void {
    this.#unwatch?.()
  }

  // --- internal ---

  /** Looks at every token, so that the time tells neither which one it is nor how much of it is right. */
  #nameOf(bearer: string): string | undefined {
    const hash = hashOf(bearer)
    let found: string | undefined
    for (const known of this.#known) if (timingSafeEqual(known.hash, hash)) found = known.name
    return found
  }

  #take(tokens: readonly KnownToken[]): void {
    const before = this.#known
    this.#known = tokens.map(({ name, hash }) => ({ name, hash: Buffer.from(hash, 'hex') }))
    if (tokens.length > 0 && !this.#required) {
      this.#required = true
      this.#gone(NOBODY.id)
    }
    for (const { name, hash } of before) if (!this.#known.some((token) => token.hash.equals(hash))) this.#gone(idOf(name))
  }

  /** A file that cannot be read now changes nothing. */
  async #reload(): Promise<void> {
    try {
      this.#take(await this.#options.tokens.read())
    } catch (error) {
      this.#options.logger.error('tokens_unread', { error: messageOf(error) })
    }
  }
}

/** What stands in a quoted string as it is. */
const HOST = /^[\w.:[\]-]+$/

function idOf(name: string): string {
  return `token:${name}`
}

function bearerIn(header: string | undefined): string | undefined {
  return /^Bearer +([\w.~+/=-]+)$/i.exec(header ?? '')?.[1]
}

function originOf(jwt: JwtConfig | undefined): string | undefined {
  return jwt !== undefined && URL.canParse(jwt.audience) ? new URL(jwt.audience).origin : undefined
}
