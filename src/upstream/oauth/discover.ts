/** Finds out at login who gives tokens for a server (RFC 9728, RFC 8414, OpenID Connect), and refuses whoever only claims to. */
import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '@modelcontextprotocol/sdk/shared/auth.js'
import { SluiceError } from '../../base/errors.js'
import { type Challenge, readChallenge } from './challenge.js'
import { checkAddress, type IssuerFetch } from './issuer-requests.js'
import { joinScopes } from './scopes.js'

export interface Authority {
  readonly issuer: string
  readonly metadata: AuthorizationServerMetadata
  /** The resource indicator (RFC 8707), as the server writes it. */
  readonly resource: string
  /** What the server asks for: of its challenge, else of its metadata. */
  readonly scope: string | undefined
}

export interface DiscoveryOptions {
  readonly url: string
  /** Of the server's entry; its metadata is asked for without them. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: IssuerFetch
}

/** Rejects with LOGIN_FAILED, or with UPSTREAM_CONNECT where nobody answers. */
export async function discoverAuthority(options: DiscoveryOptions): Promise<Authority> {
  const { url, fetch } = options
  const challenge = await challengeOf(options)
  const resource = await resourceMetadata(options, challenge)
  // Servers of 2025-03-26 have no such metadata, and are their own issuers.
  const issuer = resource?.authorization_servers?.[0] ?? new URL('/', url).href
  checkIssuer(issuer, url)
  const { discoverAuthorizationServerMetadata } = await import('@modelcontextprotocol/sdk/client/auth.js')
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch }).catch((error: unknown) =>
    unreadable(`the metadata of ${issuer}`, error),
  )
  if (!metadata && !resource)
    throw failed(`${new URL(url).origin} publishes nothing about logins; give a key in the entry's "headers"`)
  if (!metadata) throw failed(`the issuer ${issuer} publishes no metadata`)
  checkMetadata(metadata, issuer, url)
  return {
    issuer: metadata.issuer,
    metadata,
    resource: resource?.resource ?? withoutHash(url),
    scope: joinScopes(challenge?.scope) ?? joinScopes(...(resource?.scopes_supported ?? [])),
  }
}

/** One trailing slash more or less makes no other issuer. */
export function isSameIssuer(a: string, b: string): boolean {
  const plain = (issuer: string) => (URL.canParse(issuer) ? new URL(issuer).href : issuer).replace(/\/$/, '')
  return plain(a) === plain(b)
}

// --- internal ---

const PROBE = { jsonrpc: '2.0', id: 1, method: 'ping' }

function failed(detail: string, cause?: unknown): SluiceError {
  return new SluiceError('LOGIN_FAILED', detail, { cause })
}

function unreadable(what: string, error: unknown): never {
  throw error instanceof SluiceError ? error : failed(`${what} cannot be read`, error)
}

/** What the server says to a request without a token. A ping leaves no session behind where none is needed. */
async function challengeOf({ url, headers, fetch }: DiscoveryOptions): Promise<Challenge | undefined> {
  const answer = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(PROBE),
  })
  await answer.body?.cancel()
  return readChallenge(answer.status, answer.headers.get('www-authenticate') ?? undefined)
}

/** Undefined where the server has none, which is no fault unless its challenge says where it is. */
async function resourceMetadata(
  { url, fetch }: DiscoveryOptions,
  challenge: Challenge | undefined,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const { discoverOAuthProtectedResourceMetadata } = await import('@modelcontextprotocol/sdk/client/auth.js')
  const named = challenge?.resourceMetadata
  if (named !== undefined && !URL.canParse(named)) throw failed(`${new URL(url).origin} names metadata at no URL`)
  const found = await discoverOAuthProtectedResourceMetadata(
    url,
    named === undefined ? {} : { resourceMetadataUrl: named },
    fetch,
  ).catch((error: unknown) =>
    named === undefined && !(error instanceof SluiceError) ? undefined : unreadable(`the metadata at ${named}`, error),
  )
  if (found) await checkResource(found.resource, url)
  return found
}

/** A token for another resource would be of use to whoever runs that name there. */
async function checkResource(resource: string, url: string): Promise<void> {
  const { checkResourceAllowed } = await import('@modelcontextprotocol/sdk/shared/auth-utils.js')
  const isOurs = URL.canParse(resource) && checkResourceAllowed({ requestedResource: url, configuredResource: resource })
  if (!isOurs) throw failed(`the metadata is about ${resource}, which is not the server ${withoutHash(url)}`)
}

function checkIssuer(issuer: string, server: string): void {
  if (!URL.canParse(issuer)) throw failed('the server names an issuer that is no URL')
  checkAddress(new URL(issuer), server)
}

/** The SDK checks neither that the issuer is the one that was asked, nor that it can do PKCE where it does not say so. */
function checkMetadata(metadata: AuthorizationServerMetadata, issuer: string, server: string): void {
  if (!isSameIssuer(metadata.issuer, issuer)) {
    throw failed(`the metadata of ${issuer} is that of another issuer, ${metadata.issuer}`)
  }
  if (!metadata.code_challenge_methods_supported?.includes('S256')) {
    throw failed(`${issuer} does not say that it can do PKCE with S256, without which a login is not safe`)
  }
  for (const endpoint of [metadata.authorization_endpoint, metadata.token_endpoint]) checkAddress(new URL(endpoint), server)
}

function withoutHash(url: string): string {
  const plain = new URL(url)
  plain.hash = ''
  plain.username = ''
  plain.password = ''
  return plain.href
}
