/** `sluice login` and `sluice logout`: the tokens of a server over HTTP that wants OAuth. */
import { SluiceError } from '../base/errors.js'
import { nearest } from '../base/nearest.js'
import type { GatewayConfig, ServerConfig, Wire } from '../config/config.js'
import { LoginFile } from '../upstream/oauth/login-file.js'
import { hasOwnAuthorization } from '../upstream/oauth/logins.js'
import { obtainLogin } from '../upstream/oauth/obtain-login.js'
import { revokeTokens } from '../upstream/oauth/refresh-tokens.js'
import type { FlagValues } from './commands.js'
import { openBrowser } from './open-browser.js'

interface LoginRun {
  /** Its name in the configuration. */
  readonly server: string
  readonly config: GatewayConfig
  readonly dataDir: string
  readonly flags: Readonly<Partial<FlagValues>>
  readonly write: (text: string) => void
}

/** The exit code. Rejects with USAGE for a server that has no logins, and as {@link obtainLogin} does. */
export async function login({ server, config, dataDir, flags, write }: LoginRun): Promise<number> {
  const { name, wire } = httpServer(server, config)
  const { issuer, scope } = await obtainLogin({
    url: wire.url,
    headers: wire.headers,
    configured: wire.oauth,
    dataDir,
    port: flags.port ?? 0,
    deadlineMs: PATIENCE_MS,
    show: (page) => {
      write(`Log in to ${name} on this page:\n\n  ${page.href}\n\nWaiting for it; Ctrl-C ends that.\n`)
      if (!flags['no-browser']) openBrowser(page)
    },
  })
  write(
    `Logged in to ${name} at ${issuer}${scope === undefined ? '' : ` (${scope})`}. Gateways that run take it up by themselves.\n`,
  )
  return 0
}

/** The exit code: 0 also where there was no login. Rejects as {@link login} does. */
export async function logout({ server, config, dataDir, write }: LoginRun): Promise<number> {
  const { name, wire } = httpServer(server, config)
  const file = new LoginFile(dataDir, wire.url)
  const known = await file.exclusively(async () => {
    const login = await file.read()
    await file.remove()
    return login
  })
  if (known === undefined) write(`There was no login at ${name}.\n`)
  else write(`Logged out of ${name}${(await revoked(known, wire)) ? ', and its tokens are revoked' : ''}.\n`)
  return 0
}

// --- internal ---

const PATIENCE_MS = 10 * 60_000

type HttpServer = ServerConfig & { readonly wire: Exclude<Wire, { kind: 'stdio' }> }

function httpServer(server: string, { servers, origin }: GatewayConfig): HttpServer {
  const found = servers.find(({ name }) => name === server)
  const fault = (detail: string) => new SluiceError('USAGE', detail)
  const names = servers.map(({ name }) => name)
  if (found === undefined) {
    const meant = nearest(server, names)
    const hint = meant === undefined ? `; there are ${names.join(', ')}` : `; did you mean ${JSON.stringify(meant)}?`
    throw fault(`${origin} has no usable server ${JSON.stringify(server)}${hint}`)
  }
  const { wire } = found
  const quoted = JSON.stringify(server)
  if (wire.kind === 'stdio') throw fault(`${quoted} is started by a command, and gets its keys from "env"`)
  if (hasOwnAuthorization(wire)) throw fault(`${quoted} has an Authorization header of its own, which is what it gets`)
  return { ...found, wire }
}

function revoked(known: Parameters<typeof revokeTokens>[0], { oauth }: HttpServer['wire']): Promise<boolean> {
  const secret = oauth?.clientSecret
  return revokeTokens({ ...known, client: { ...known.client, ...(secret !== undefined && { client_secret: secret }) } })
}
