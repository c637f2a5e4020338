/** Builds the link to a server behind a URL. */
import type { Logger } from '../base/logger.js'
import type { Wire } from '../config/config.js'
import { AutoLink } from './http-auto-link.js'
import { StreamableLink } from './http-streamable-link.js'
import type { Link, LinkEvents } from './link.js'
import type { Login } from './oauth/login.js'
import { SseLink } from './sse-link.js'

export interface HttpLinkOptions {
  readonly wire: Extract<Wire, { readonly url: string }>
  /** Limit on a body and on the data of an event, in bytes. */
  readonly maxMessageBytes: number
  readonly logger: Logger
  /** `mcp-sluice` by default; a `user-agent` among the entry's headers wins. */
  readonly userAgent?: string
  /** Undefined: no token but what the headers have. */
  readonly login?: Login | undefined
}

const LINKS = { http: StreamableLink, sse: SseLink, auto: AutoLink }

/** The link is not connected yet: `open` reports a URL that cannot work; for `sse` it connects. */
export function createHttpLink(options: HttpLinkOptions, events: LinkEvents): Link {
  const { wire, maxMessageBytes, logger, login, userAgent = 'mcp-sluice' } = options
  return new LINKS[wire.kind]({ url: wire.url, headers: wire.headers, userAgent, login, maxMessageBytes, logger }, events)
}
