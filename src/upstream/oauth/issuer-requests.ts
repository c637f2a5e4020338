/** Requests to issuers: what they may be sent to, how long they may take, and what went wrong in words without secrets. */
import { SluiceError } from '../../base/errors.js'
import { ellipsize } from '../../base/utf8.js'
import type { LoginClient } from './login-file.js'

/** As the SDK's functions take it. They follow a redirect only within the origin, and call this for each hop. */
export type IssuerFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Rejects with UPSTREAM_CONNECT when there is no answer, so that the SDK does not take that for "not supported", and with LOGIN_FAILED
 * for an address that others can listen in on.
 */
export function createIssuerFetch(server: string): IssuerFetch {
  return async (to, init) => {
    const url = new URL(to)
    checkAddress(url, server)
    try {
      return await fetch(url, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) })
    } catch (cause) {
      throw new SluiceError('UPSTREAM_CONNECT', `cannot reach ${url.origin} (${whyNot(cause)})`, { cause })
    }
  }
}

/**
 * Codes and tokens are sent by https only, unless it is to the server itself, or the server is on this machine too: one elsewhere has
 * no business with what runs here.
 * @throws LOGIN_FAILED
 */
export function checkAddress(url: URL, server: string): void {
  const own = new URL(server)
  const isNear = url.origin === own.origin || (isThisMachine(url) && isThisMachine(own))
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isNear)) return
  throw new SluiceError('LOGIN_FAILED', `${url.origin} is not reached by https, so nothing is sent there`)
}

/** The OAuth error code of what the SDK throws (`invalid_grant`), or undefined where the answer was none of OAuth's errors. */
export function oauthErrorOf(thrown: unknown): string | undefined {
  const code = (thrown as { errorCode?: unknown } | undefined)?.errorCode
  // The SDK says so too of what it could not read, with the whole answer as the message.
  return typeof code === 'string' && code !== 'server_error' ? code : undefined
}

/** What went wrong at an issuer, short. What it answered is quoted only where it is a description of an OAuth error. */
export function describeIssuerError(thrown: unknown): string {
  if (thrown instanceof SluiceError) return thrown.detail
  const code = oauthErrorOf(thrown)
  if (code === undefined) return 'its answer is none that OAuth knows'
  const description = ellipsize((thrown as Error).message.replace(/\s+/g, ' '), SHOWN_CHARS)
  return description === '' ? code : `${code}: ${description}`
}

/** A client as the SDK takes it; without a secret it is a public one. */
export function sdkClient({ client_id, client_secret, token_endpoint_auth_method }: LoginClient) {
  const method = token_endpoint_auth_method ?? (client_secret === undefined ? 'none' : undefined)
  return { client_id, ...(client_secret && { client_secret }), ...(method && { token_endpoint_auth_method: method }) }
}

// --- internal ---

const DEADLINE_MS = 15_000
const SHOWN_CHARS = 200

function isThisMachine({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function whyNot(cause: unknown): string {
  const inner = (cause as { cause?: NodeJS.ErrnoException }).cause
  return inner?.code ?? (cause instanceof Error ? cause.name : 'no answer')
}
