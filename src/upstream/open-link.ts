/** Picks the link that a server's entry asks for. */
import type { Logger } from '../base/logger.js'
import type { ServerConfig } from '../config/config.js'
import type { Link, LinkEvents } from './link.js'
import { createStdioLink } from './stdio-link.js'
import type { Watchdog } from './watchdog.js'

interface LinkSettings {
  /** All of the gateway's environment; each server's entry decides how much of it the server gets. */
  readonly inheritedEnv: Readonly<Record<string, string>>
  readonly maxMessageBytes: number
  readonly logger: Logger
  readonly watchdog?: Watchdog
}

export function createLinkOpener(settings: LinkSettings): (server: ServerConfig, events: LinkEvents) => Link {
  return ({ name, wire }, events) => {
    if (wire.kind === 'stdio') return createStdioLink({ ...settings, wire, name }, events)
    throw new Error(`no link for ${wire.kind} yet`)
  }
}
