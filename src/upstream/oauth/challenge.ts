/** What a server says of the authorization it wants (RFC 6750, RFC 9728). */

export interface Challenge {
  /** `token`: none, or none that it takes; `scope`: the token is good and does not reach far enough. */
  readonly wants: 'token' | 'scope'
  readonly scope: string | undefined
  /** Where the metadata of the protected resource is. */
  readonly resourceMetadata: string | undefined
}

/**
 * Undefined unless it is a 401 with a Bearer challenge or a 403 for `insufficient_scope`.
 * @param header WWW-Authenticate; several are joined by commas
 */
export function readChallenge(status: number, header: string | undefined): Challenge | undefined {
  if ((status !== 401 && status !== 403) || header === undefined) return undefined
  const start = BEARER.exec(header)
  if (!start) return undefined
  const params = paramsFrom(header, start.index + start[0].length)
  if (status === 403 && params.get('error') !== 'insufficient_scope') return undefined
  return {
    wants: status === 401 ? 'token' : 'scope',
    scope: params.get('scope') || undefined,
    resourceMetadata: params.get('resource_metadata') || undefined,
  }
}

// --- internal ---

const BEARER = /(?:^|,)\s*Bearer(?=[\s,]|$)/i
/** The SDK's reader takes `scope=` out of any text, a description too; this one ends where another scheme begins. */
const PARAM = /[\s,]*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y

function paramsFrom(header: string, at: number): ReadonlyMap<string, string> {
  const params = new Map<string, string>()
  PARAM.lastIndex = at
  for (let found = PARAM.exec(header); found; found = PARAM.exec(header)) {
    const [, name = '', quoted, bare = ''] = found
    params.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? bare)
  }
  return params
}
