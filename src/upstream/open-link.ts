/** Picks the link that a server's entry asks for. */
import type { Logger } from '../base/logger.js'
import type { WarmLoop } from '../base/warm-loop.js'
import type { ServerConfig } from '../config/config.js'
import { createHttpLink } from './http-link.js'
import type { Link, LinkEvents } from './link.js'
import type { Logins } from './oauth/logins.js'
import { createStdioLink } from './stdio-link.js'
import type { Watchdog } from './watchdog.js'

interface LinkSettings {
  /** All of the gateway's environment; each server's entry decides how much of it the server gets. */
  readonly inheritedEnv: Readonly<Record<string, string>>
  readonly maxMessageBytes: number
  readonly logger: Logger
  readonly watchdog?: Watchdog
  readonly warmLoop?: WarmLoop
  readonly logins?: Logins
}

export function createLinkOpener(settings: LinkSettings): (server: ServerConfig, events: LinkEvents) => Link {
  return (server, events) => {
    const { name, wire } = server
    if (wire.kind === 'stdio') return createStdioLink({ ...settings, wire, name }, events)
    return createHttpLink({ ...settings, wire, login: settings.logins?.of(server) }, events)
  }
}
