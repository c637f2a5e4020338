/** What a call to a tool that cannot be called is told: that it is unknown or excluded, and what to do. */
import { ellipsize } from '../../base/utf8.js'
import { NAME_SEPARATOR, nearestName } from '../../catalog/names.js'
import type { Upstream } from '../../upstream/upstream.js'
import { SERVERS_URI } from '../servers-resource.js'
import type { SessionContext } from '../session-context.js'
import { toolText } from '../tool-text.js'

export function unknownTool(context: SessionContext, name: string, named: Upstream | undefined): string {
  const shown = ellipsize(name, MAX_SHOWN_NAME)
  const text = [`Unknown tool "${shown}".`, reasonWhy(context, name, named)].join(' ')
  return toolText({ text: context.config.redact(text), isError: true })
}

export function excluded(upstream: Upstream, tool: string): string {
  const text =
    `The tool "${tool}" of server "${upstream.server.name}" is excluded by the configuration; ` +
    'to allow it, change include or exclude of that server.'
  return toolText({ text, isError: true })
}

/** The server that has a tool of this name, prefixed or bare, and may not offer it. */
export function excludedOwner(
  context: SessionContext,
  name: string,
  named: Upstream | undefined,
): { upstream: Upstream; tool: string } | undefined {
  const isHidden = (upstream: Upstream, tool: string) =>
    !context.filters.allows(upstream.server, tool) && upstream.list('tools').some((item) => item.key === tool)
  const own = named && name.slice(named.server.alias.length + NAME_SEPARATOR.length)
  if (named && own && isHidden(named, own)) return { upstream: named, tool: own }
  if (context.settings.naming === 'prefixed') return undefined
  const upstream = context.upstreams.all().find((candidate) => isHidden(candidate, name))
  return upstream && { upstream, tool: name }
}

// --- internal ---

const MAX_SHOWN_NAME = 100

/** What most likely is behind it: the server that the name speaks of, a misspelling, or servers that are not there. */
function reasonWhy(context: SessionContext, name: string, named: Upstream | undefined): string {
  const { disabled, switchedOff } = context.config
  const isOf = (server: string) => name.startsWith(`${server}${NAME_SEPARATOR}`)
  const fault = disabled.find((server) => isOf(server.name))
  if (fault)
    return `Server "${fault.name}" is disabled: ${fault.reason}. Mend its entry in the configuration to have its tools.`
  const off = switchedOff.find(isOf)
  if (off) return `Server "${off}" is switched off in the configuration; take "disabled" out of its entry to have its tools.`
  const guess = nearestName(name, context.tools.names())
  if (guess) return `Did you mean "${guess}"? ${whereNames(context)}.`
  if (named)
    return `Server "${named.server.name}" is there and lists ${named.list('tools').length} tools, none of that name. ${whereNames(context)}.`
  const down = context.upstreams.all().filter((upstream) => !upstream.facts)
  const missing = down.map((upstream) => `"${upstream.server.name}"`).join(', ')
  const logins = down
    .flatMap(({ lastError }) => (lastError?.code === 'UPSTREAM_LOGIN' ? ` Of these, ${lastError.detail}.` : []))
    .join('')
  return `${whereNames(context)}${missing && `, but those of servers that are not there: ${missing} (see the resource ${SERVERS_URI})`}.${logins}`
}

/** Where all names are found: a list that is not all of them does not do. */
function whereNames({ catalog, settings }: SessionContext): string {
  if (!catalog.deferring) return 'tools/list has the names of all tools'
  return `${settings.searchTool}(queries=["<what it should do>"], source="mcp/") finds any tool`
}
