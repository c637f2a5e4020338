/** The issuer whose JWTs clients over HTTP may come in with: all three of its settings, or none. */
import type { JwtConfig } from './config.js'
import type { Finding } from './option-schema.js'
import type { SettingsOptions } from './options.js'

export function jwtOf({ http: { jwt } }: SettingsOptions): JwtConfig | undefined {
  const { issuer, audience, jwks } = jwt
  return issuer === undefined || audience === undefined || jwks === undefined ? undefined : { issuer, audience, jwks }
}

export function jwtFaults({ http: { jwt } }: SettingsOptions): Finding[] {
  const fault = (key: string, message: string) => ({ path: ['http', 'jwt', key], message })
  const missing = KEYS.filter((key) => jwt[key] === undefined)
  if (missing.length === KEYS.length) return []
  const faults = missing.map((key) => fault(key, 'is missing; an issuer needs issuer, audience and jwks'))
  // Who can change the keys on their way can make tokens.
  if (jwt.jwks !== undefined && !SAFE_URL.test(jwt.jwks)) faults.push(fault('jwks', 'must be an https address'))
  return faults
}

// --- internal ---

const KEYS = ['issuer', 'audience', 'jwks'] as const
const SAFE_URL = /^(?:https:\/\/|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$))/i
