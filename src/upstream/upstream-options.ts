/** What a supervised upstream is made of. */
import type { Logger } from '../base/logger.js'
import type { ServerConfig } from '../config/config.js'
import type { BackoffOptions } from './backoff.js'
import type { CatalogCache } from './catalog-cache.js'
import type { Link, LinkEvents } from './link.js'
import type { Logins } from './oauth/logins.js'
import type { ClientFacts, UpstreamListener } from './upstream.js'
import type { UpstreamCompute } from './upstream-compute.js'

export interface UpstreamOptions {
  readonly server: ServerConfig
  /** A function where they are known later than this; it is asked at each start. */
  readonly client: ClientFacts | (() => ClientFacts)
  readonly listener: UpstreamListener
  readonly openLink: (server: ServerConfig, events: LinkEvents) => Link
  readonly maxMessageBytes: number
  readonly compute: UpstreamCompute
  readonly logger: Logger
  /** Takes secrets out of error texts. */
  readonly redact?: (text: string) => string
  readonly backoff?: BackoffOptions
  /** Absent: the server is asked what it has at each start. */
  readonly cache?: CatalogCache
  /** Absent: servers get no tokens but those of their entries. */
  readonly logins?: Logins
}
