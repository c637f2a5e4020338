/** Tokens of an issuer: JWTs signed with one of its keys, for us, and not over. */
import type { JWTPayload } from 'jose'
import { messageOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { JwtConfig } from '../config/config.js'

/** Whose token it is; undefined for one that is not to be trusted, whatever is wrong with it. Never rejects. */
export type JwtCheck = (token: string) => Promise<string | undefined>

/** The keys are fetched with the first token, and again when a token names another key. */
export function jwtCheck({ issuer, audience, jwks }: JwtConfig, logger: Logger): JwtCheck {
  let verifying: Promise<(token: string) => Promise<JWTPayload>> | undefined
  const verifier = async () => {
    const { createRemoteJWKSet, jwtVerify } = await import('jose')
    const keys = createRemoteJWKSet(new URL(jwks))
    const rules = { issuer, audience, algorithms: ALGORITHMS, requiredClaims: ['exp'], clockTolerance: CLOCK_SECONDS }
    return async (token: string) => (await jwtVerify(token, keys, rules)).payload
  }
  return async (token) => {
    try {
      verifying ??= verifier()
      return subjectOf(await (await verifying)(token))
    } catch (error) {
      logger.debug('jwt_refused', { why: messageOf(error) })
      return undefined
    }
  }
}

/** Where clients find the issuer (RFC 9728). The audience is our address, where it is one. */
export function resourceMetadata({ issuer, audience }: JwtConfig): { path: string; body: object } {
  const path = URL.canParse(audience) ? new URL(audience).pathname.replace(/\/$/, '') : ''
  return {
    path: `${WELL_KNOWN}${path}`,
    body: { resource: audience, authorization_servers: [issuer], bearer_methods_supported: ['header'] },
  }
}

// --- internal ---

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const CLOCK_SECONDS = 5
/** Signatures that only the issuer can make; with a shared secret, whoever checks could sign as well. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** A client of its own, without a person, is named by its id. */
function subjectOf({ sub, client_id: client }: JWTPayload): string | undefined {
  return sub ?? (typeof client === 'string' ? client : undefined)
}
