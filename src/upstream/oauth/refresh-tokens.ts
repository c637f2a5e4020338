/** New tokens for a refresh token, and giving tokens back. */
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/sdk/shared/auth.js'
import { createIssuerFetch, sdkClient } from './issuer-requests.js'
import type { LoginTokens, StoredLogin } from './login-file.js'

/** @param scope what was asked for, which is granted where the issuer does not say otherwise */
export function tokensOf(given: GivenTokens, scope: string | undefined): LoginTokens {
  const { access_token, refresh_token, expires_in } = given
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresAt: expires_in === undefined ? undefined : Date.now() + expires_in * 1000,
    scope: given.scope || scope,
  }
}

/** Rejects with the SDK's error for what the issuer refuses, and with UPSTREAM_CONNECT. */
export async function refreshTokens(login: StoredLogin, tokens: LoginTokens): Promise<LoginTokens> {
  const { refreshAuthorization } = await import('@modelcontextprotocol/sdk/client/auth.js')
  const given = await refreshAuthorization(login.issuer, {
    metadata: metadataOf(login),
    clientInformation: sdkClient(login.client),
    refreshToken: tokens.refreshToken ?? '',
    resource: login.resource,
    fetchFn: createIssuerFetch(login.server),
  })
  return tokensOf(given, tokens.scope)
}

/** Revokes the tokens (RFC 7009), which the SDK has no function for. False where the issuer does not offer it or refuses. */
export async function revokeTokens(login: StoredLogin): Promise<boolean> {
  const { revocationEndpoint, tokens, client } = login
  const token = tokens?.refreshToken ?? tokens?.accessToken
  if (revocationEndpoint === undefined || token === undefined) return false
  const { client_id, client_secret } = client
  const body = new URLSearchParams({ token, client_id, ...(client_secret && { client_secret }) })
  try {
    return (await createIssuerFetch(login.server)(revocationEndpoint, { method: 'POST', body, redirect: 'error' })).ok
  } catch {
    return false
  }
}

// --- internal ---

/** What the SDK wants to know of an issuer; the rest was checked at login. */
function metadataOf({ issuer, tokenEndpoint, authMethods }: StoredLogin): AuthorizationServerMetadata {
  return {
    issuer,
    authorization_endpoint: issuer,
    token_endpoint: tokenEndpoint,
    response_types_supported: ['code'],
    ...(authMethods.length > 0 && { token_endpoint_auth_methods_supported: [...authMethods] }),
  }
}

/** Tokens as the token endpoint gives them. */
interface GivenTokens {
  readonly access_token: string
  readonly refresh_token?: string | undefined
  readonly expires_in?: number | undefined
  readonly scope?: string | undefined
}
