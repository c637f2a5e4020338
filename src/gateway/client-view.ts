/** What one client gets: its settings, its names, its index and its catalog. Made when the client has said who it is. */
import type { Logger } from '../base/logger.js'
import type { UriTable } from '../catalog/uris.js'
import { settingsFor } from '../config/client-settings.js'
import type { GatewayConfig, Settings } from '../config/config.js'
import type { ClientFacts, Upstream } from '../upstream/upstream.js'
import type { CatalogShelf } from './catalog-shelf.js'
import type { ContextIndex } from './context-index.js'
import type { ListChanges } from './list-changes.js'
import { metaToolsOf } from './own-entries.js'
import { SessionCatalog } from './session-catalog.js'
import { SessionNames } from './session-names.js'
import { ToolFilters } from './tool-filters.js'
import type { UsageJournal } from './usage-journal.js'

export interface ClientView {
  readonly settings: Settings
  readonly names: SessionNames
  /** Absent where neither responses nor the catalog are indexed. */
  readonly index: ContextIndex | undefined
  readonly catalog: SessionCatalog
  readonly filters: ToolFilters
}

export interface ClientViewDeps {
  readonly config: GatewayConfig
  readonly shelf: CatalogShelf
  readonly journal: UsageJournal
  readonly openIndex: (settings: Settings) => ContextIndex
  readonly logger: Logger
}

interface SessionParts {
  readonly uris: UriTable
  readonly changes: ListChanges
  readonly upstreams: () => readonly Upstream[]
  /** The name that decides about its settings, where it is not the one that the client gives itself. */
  readonly knownAs: string | undefined
}

export function createClientView(deps: ClientViewDeps, client: ClientFacts, parts: SessionParts): ClientView {
  const { config, shelf, journal, logger } = deps
  const { uris, changes, upstreams } = parts
  const clientName = String(client.clientInfo['name'] ?? '')
  const settings = settingsFor(config, parts.knownAs ?? clientName)
  const { enabled, mode } = settings.catalog
  const indexed = settings.responses.enabled || (enabled && mode !== 'off')
  const index = indexed ? deps.openIndex(settings) : undefined
  const { naming, searchTool, readTool, callTool } = settings
  const aliases = config.servers.map((server) => server.alias)
  const names = new SessionNames({
    naming,
    aliases,
    reserved: index ? [searchTool, readTool, callTool, ...metaToolsOf(settings)] : [],
    uris,
  })
  const filters = new ToolFilters()
  const allows = (upstream: Upstream, tool: string) => filters.allows(upstream.server, tool)
  const catalog = new SessionCatalog({
    settings,
    clientName,
    shelf,
    names,
    index,
    upstreams,
    allows,
    changes,
    journal,
    logger,
  })
  return { settings, names, index, catalog, filters }
}
