/** The logins of one process: one for each server URL, however many sessions use it. */
import type { Logger } from '../../base/logger.js'
import type { ServerConfig, Wire } from '../../config/config.js'
import { Login } from './login.js'
import { LoginFile } from './login-file.js'

export interface Logins {
  /** Undefined for a server that is started by a command, or that has an Authorization header of its own. */
  of(server: ServerConfig): Login | undefined
  /** What a person is to run for a login there: `sluice login github`. */
  command(server: string): string
}

interface LoginsOptions {
  readonly dataDir: string
  /** What `--config` named; the command line for a login needs it, too. */
  readonly configPath?: string | undefined
  readonly logger: Logger
}

export function createLogins({ dataDir, configPath, logger }: LoginsOptions): Logins {
  const logins = new Map<string, Login>()
  return {
    of: ({ wire }) => {
      if (wire.kind === 'stdio' || hasOwnAuthorization(wire)) return undefined
      const { url, oauth: configured } = wire
      const key = JSON.stringify([url, configured?.clientId])
      const known = logins.get(key)
      if (known !== undefined || !URL.canParse(url)) return known
      const login = new Login({ file: new LoginFile(dataDir, url), configured, logger })
      logins.set(key, login)
      return login
    },
    command: (server) => loginCommand(server, configPath),
  }
}

/** What the entry says always wins: a header, or a name and password in the URL. */
export function hasOwnAuthorization({ url, headers }: Pick<Exclude<Wire, { kind: 'stdio' }>, 'url' | 'headers'>): boolean {
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  return hasHeader || (URL.canParse(url) && new URL(url).username !== '')
}

export function loginCommand(server: string, configPath?: string): string {
  return ['sluice login', word(server), ...(configPath === undefined ? [] : ['--config', word(configPath)])].join(' ')
}

// --- internal ---

/** As a shell's word. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`
}
