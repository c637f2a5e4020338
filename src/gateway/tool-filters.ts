/** Which tools a server's `include` and `exclude` let through. */
import picomatch from 'picomatch'
import type { ServerConfig } from '../config/config.js'

export class ToolFilters {
  readonly #filters = new Map<ServerConfig, (name: string) => boolean>()

  allows(server: ServerConfig, tool: string): boolean {
    let filter = this.#filters.get(server)
    if (!filter) {
      filter = filterOf(server)
      this.#filters.set(server, filter)
    }
    return filter(tool)
  }
}

// --- internal ---

function filterOf(server: ServerConfig): (name: string) => boolean {
  const included = server.include.length === 0 ? () => true : picomatch([...server.include])
  const excluded = server.exclude.length === 0 ? () => false : picomatch([...server.exclude])
  return (name) => included(name) && !excluded(name)
}
