/** A login from its beginning to the tokens on disk: discovery, client, browser, code, tokens. */
import { randomBytes } from 'node:crypto'
import type { OAuthClientInformation } from '@modelcontextprotocol/sdk/shared/auth.js'
import { SluiceError } from '../../base/errors.js'
import type { OAuthConfig } from '../../config/config.js'
import { type Authority, discoverAuthority, isSameIssuer } from './discover.js'
import { createIssuerFetch, describeIssuerError, type IssuerFetch, sdkClient } from './issuer-requests.js'
import { type LoginClient, LoginFile, type StoredLogin } from './login-file.js'
import { listenForRedirect, type RedirectListener } from './redirect-listener.js'
import { tokensOf } from './refresh-tokens.js'
import { joinScopes } from './scopes.js'

export interface LoginOrder {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly configured: OAuthConfig | undefined
  readonly dataDir: string
  /** For the redirect: 0 takes any free one; a client that is registered with a port needs that. */
  readonly port: number
  /** How long the person may take. */
  readonly deadlineMs: number
  /** Shows the page where the person logs in. */
  readonly show: (page: URL) => void
}

/** Rejects with LOGIN_FAILED, or with UPSTREAM_CONNECT where nobody answers. What was there of an older login stays then. */
export async function obtainLogin(
  order: LoginOrder,
): Promise<Pick<StoredLogin, 'issuer'> & { readonly scope: string | undefined }> {
  const { url, headers, configured } = order
  const fetch = createIssuerFetch(url)
  const file = new LoginFile(order.dataDir, url)
  const authority = await discoverAuthority({ url, headers, fetch })
  const scope = scopeFor(authority, configured, await file.read())
  const state = randomBytes(32).toString('base64url')
  const listener = await listenForRedirect(state, order.port)
  try {
    const { redirectUri } = listener
    const client = clientOf(configured) ?? (await register(authority, { redirectUri, scope, fetch }))
    const request = { authority, client, scope, state, redirectUri, fetch }
    const tokens = await throughBrowser(request, listener, order)
    await file.exclusively(() => file.write({ ...factsOf(authority), client: keptClient(client, configured), tokens }))
    return { issuer: authority.issuer, scope: tokens.scope }
  } finally {
    listener.close()
  }
}

// --- internal ---

interface CodeRequest {
  readonly authority: Authority
  readonly client: LoginClient
  readonly scope: string | undefined
  readonly state: string
  readonly redirectUri: string
  readonly fetch: IssuerFetch
}

function failed(detail: string, cause?: unknown): SluiceError {
  return new SluiceError('LOGIN_FAILED', detail, { cause })
}

/** What the entry names, else the server; and what the server missed in the login before. Without the last, no issuer would give a refresh token. */
function scopeFor({ scope, metadata }: Authority, configured: OAuthConfig | undefined, before: StoredLogin | undefined) {
  const wanted = before?.wantedScope === undefined ? undefined : joinScopes(before.tokens?.scope, before.wantedScope)
  const named = joinScopes(...(configured?.scopes ?? [])) ?? scope
  const asked = joinScopes(named, wanted)
  return metadata.scopes_supported?.includes('offline_access') ? joinScopes(asked, 'offline_access') : asked
}

function clientOf(configured: OAuthConfig | undefined): LoginClient | undefined {
  if (configured?.clientId === undefined) return undefined
  return { client_id: configured.clientId, client_secret: configured.clientSecret }
}

function keptClient(client: LoginClient, configured: OAuthConfig | undefined): LoginClient {
  return configured?.clientId === undefined ? client : { client_id: client.client_id }
}

function factsOf({ issuer, resource, metadata }: Authority) {
  const { revocation_endpoint: revocation } = metadata as { revocation_endpoint?: unknown }
  return {
    issuer,
    resource,
    tokenEndpoint: metadata.token_endpoint,
    authMethods: metadata.token_endpoint_auth_methods_supported ?? [],
    revocationEndpoint: typeof revocation === 'string' ? revocation : undefined,
  }
}

/** A client for this redirect address (RFC 7591): many issuers compare it with the port. */
async function register(
  { metadata, issuer }: Authority,
  { redirectUri, scope, fetch }: { redirectUri: string; scope: string | undefined; fetch: IssuerFetch },
): Promise<LoginClient> {
  if (!metadata.registration_endpoint) {
    throw failed(
      `${issuer} registers no clients by itself; register one there with the redirect address http://127.0.0.1:PORT/callback, ` +
        'put "oauth": {"clientId": …} in the entry, and log in with --port PORT',
    )
  }
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['none']
  const method = ['none', 'client_secret_basic', 'client_secret_post'].find((one) => methods.includes(one)) ?? 'none'
  const { registerClient } = await import('@modelcontextprotocol/sdk/client/auth.js')
  const clientMetadata = {
    client_name: 'Sluice',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
  }
  const registered: OAuthClientInformation & LoginClient = await registerClient(issuer, {
    metadata,
    clientMetadata,
    ...(scope !== undefined && { scope }),
    fetchFn: fetch,
  }).catch((error: unknown) => {
    throw failed(`${issuer} did not register a client: ${describeIssuerError(error)}`, error)
  })
  const { client_id, client_secret, token_endpoint_auth_method = method } = registered
  return { client_id, client_secret, token_endpoint_auth_method }
}

async function throughBrowser(request: CodeRequest, listener: RedirectListener, order: LoginOrder) {
  const { authority, client, scope, state, redirectUri } = request
  const { startAuthorization } = await import('@modelcontextprotocol/sdk/client/auth.js')
  const { authorizationUrl, codeVerifier } = await startAuthorization(authority.issuer, {
    metadata: authority.metadata,
    clientInformation: sdkClient(client),
    redirectUrl: redirectUri,
    state,
    resource: authority.resource,
    ...(scope !== undefined && { scope }),
  }).catch((error: unknown) => {
    throw failed(`${authority.issuer} cannot log anybody in: ${(error as Error).message}`, error)
  })
  order.show(authorizationUrl)
  const code = codeIn(await within(listener.redirected, order.deadlineMs), authority)
  return exchange(request, { code, codeVerifier })
}

async function within(redirected: Promise<URLSearchParams>, deadlineMs: number): Promise<URLSearchParams> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failed('nobody logged in in time')), deadlineMs)
  })
  try {
    return await Promise.race([redirected, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Another issuer's answer is not taken (RFC 9207). */
function codeIn(params: URLSearchParams, { issuer, metadata }: Authority): string {
  const from = params.get('iss')
  const mustSay = (metadata as Record<string, unknown>)['authorization_response_iss_parameter_supported'] === true
  if (from === null ? mustSay : !isSameIssuer(from, issuer)) {
    throw failed(`the answer came from ${from ?? 'an issuer that does not name itself'}, not from ${issuer}`)
  }
  const error = params.get('error')
  const code = params.get('code')
  if (error !== null || code === null) {
    const said = [error, params.get('error_description')].filter(Boolean).join(': ')
    throw failed(`${issuer} refused the login${said && `: ${said.replace(/\p{C}/gu, ' ').slice(0, 200)}`}`)
  }
  return code
}

async function exchange(
  { authority, client, scope, redirectUri, fetch }: CodeRequest,
  { code, codeVerifier }: { code: string; codeVerifier: string },
) {
  const { exchangeAuthorization } = await import('@modelcontextprotocol/sdk/client/auth.js')
  const given = await exchangeAuthorization(authority.issuer, {
    metadata: authority.metadata,
    clientInformation: sdkClient(client),
    authorizationCode: code,
    codeVerifier,
    redirectUri,
    resource: authority.resource,
    fetchFn: fetch,
  }).catch((error: unknown) => {
    throw failed(`${authority.issuer} gave no token: ${describeIssuerError(error)}`, error)
  })
  if (given.token_type.toLowerCase() !== 'bearer')
    throw failed(`${authority.issuer} gave a token of another kind: ${given.token_type}`)
  return tokensOf(given, scope)
}
