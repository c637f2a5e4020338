/** The gateway's own tools in a session's list: in front from the beginning, or at its end where they are needed only later. */
import { callToolDefinition, type OwnToolsScope, readToolDefinition, searchToolDefinition } from '../catalog/own-tools.js'
import type { Settings } from '../config/config.js'
import type { ListItem } from '../protocol/compute-api.js'
import type { ToolNames } from '../protocol/session-api.js'

/** Where the original bytes of indexed responses are read. */
const RESPONSE_TEMPLATE: ListItem = {
  key: 'sluice://response/{+label}',
  json: JSON.stringify({
    uriTemplate: 'sluice://response/{+label}',
    name: 'indexed-response',
    title: 'Indexed response',
    description: 'The original bytes of a response that was indexed, by its label.',
  }),
}

export function toolNamesOf({ searchTool, readTool, callTool }: Settings): ToolNames {
  return { search: searchTool, read: readTool, call: callTool }
}

/** @param deferring whether something of the catalog is not listed, or may come to be */
export function ownTools(settings: Settings, deferring: boolean): ListItem[] {
  const scope: OwnToolsScope = { names: toolNamesOf(settings), responses: settings.responses.enabled, deferring }
  if (!scope.responses && !deferring) return []
  const made: [string, object][] = [
    [scope.names.search, searchToolDefinition(scope)],
    [scope.names.read, readToolDefinition(scope)],
    ...(deferring ? [[scope.names.call, callToolDefinition(scope)] as [string, object]] : []),
  ]
  return made.map(([key, definition]) => ({ key, json: JSON.stringify(definition) }))
}

export function ownTemplates(settings: Settings): ListItem[] {
  return settings.responses.enabled ? [RESPONSE_TEMPLATE] : []
}
