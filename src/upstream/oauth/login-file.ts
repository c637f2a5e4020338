/** The store of logins: a file for each server URL in the data folder, bound to the issuer that gave the tokens, for its owner's eyes alone. */
import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { withFileLock } from '../../base/file-lock.js'
import { writeOwnFile } from '../../base/write-own-file.js'
import { asRecord } from '../../protocol/messages.js'

export interface LoginTokens {
  readonly accessToken: string
  readonly refreshToken?: string | undefined
  /** In ms since the epoch; undefined where the issuer did not say. */
  readonly expiresAt?: number | undefined
  /** What was granted, separated by blanks. */
  readonly scope?: string | undefined
}

/** As what we are known to the issuer. The secret of a configured client stays in the configuration. */
export interface LoginClient {
  readonly client_id: string
  readonly client_secret?: string | undefined
  readonly token_endpoint_auth_method?: string | undefined
}

export interface StoredLogin {
  readonly version: 1
  readonly server: string
  readonly issuer: string
  /** The resource indicator (RFC 8707). */
  readonly resource: string
  readonly tokenEndpoint: string
  readonly authMethods: readonly string[]
  readonly revocationEndpoint?: string | undefined
  readonly client: LoginClient
  /** Undefined once the issuer has revoked them. */
  readonly tokens?: LoginTokens | undefined
  /** What the server asked for beyond what was granted; the next login asks for it. */
  readonly wantedScope?: string | undefined
}

export class LoginFile {
  readonly path: string
  readonly #folder: string
  readonly #server: string

  constructor(dataDir: string, server: string) {
    this.#folder = join(dataDir, 'logins')
    this.#server = canonical(server)
    this.path = join(this.#folder, this.#name)
  }

  /** Undefined where there is none, or none that can be read. */
  async read(): Promise<StoredLogin | undefined> {
    const text = await readFile(this.path, 'utf8').catch(() => '')
    const login = parse(text)
    return login?.server === this.#server ? login : undefined
  }

  /** To be called under the lock. */
  write(login: Omit<StoredLogin, 'version' | 'server'>): Promise<void> {
    const stored: StoredLogin = { ...login, version: 1, server: this.#server }
    return writeOwnFile(this.#folder, this.#name, Buffer.from(`${JSON.stringify(stored, null, 2)}\n`))
  }

  /** To be called under the lock. */
  remove(): Promise<void> {
    return rm(this.path, { force: true })
  }

  /** What reads and then writes or asks the issuer for new tokens does so alone. */
  exclusively<T>(task: () => Promise<T>): Promise<T> {
    return withFileLock(this.path, task)
  }

  // --- internal ---

  get #name(): string {
    return `${createHash('sha256').update(this.#server).digest('hex')}.json`
  }
}

// --- internal ---

/** Two spellings of one URL are one server; what follows `#` never reaches it. */
function canonical(server: string): string {
  const url = new URL(server)
  url.hash = ''
  return url.href
}

function parse(text: string): StoredLogin | undefined {
  try {
    const login = asRecord(JSON.parse(text))
    const isOurs = login?.['version'] === 1 && typeof login['issuer'] === 'string' && typeof login['tokenEndpoint'] === 'string'
    return isOurs && asRecord(login['client']) ? (login as unknown as StoredLogin) : undefined
  } catch {
    return undefined
  }
}
