/** The gateway's own tools in a session's list: in front from the beginning, or at its end where they are needed only later. */
import { type MetaTool, metaToolDefinition } from '../catalog/meta-tools.js'
import { callToolDefinition, type OwnToolsScope, readToolDefinition, searchToolDefinition } from '../catalog/own-tools.js'
import type { Settings } from '../config/config.js'
import type { ListItem } from '../protocol/compute-api.js'
import type { ToolNames } from '../protocol/session-api.js'

/** Where the original bytes of indexed responses are read. */
export const RESPONSE_URI = 'sluice://response/'
export const RESPONSE_TEMPLATE = `${RESPONSE_URI}{+label}`

const TEMPLATE_ENTRY: ListItem = {
  key: RESPONSE_TEMPLATE,
  json: JSON.stringify({
    uriTemplate: RESPONSE_TEMPLATE,
    name: 'indexed-response',
    title: 'Indexed response',
    description: 'The original bytes of a response that was indexed, by its label.',
  }),
}

export function toolNamesOf({ searchTool, readTool, callTool }: Settings): ToolNames {
  return { search: searchTool, read: readTool, call: callTool }
}

/** They are about the catalog: where that is passed on as it is, there are none. */
export function metaToolsOf({ catalog, metaTools }: Settings): readonly MetaTool[] {
  return catalog.enabled && catalog.mode !== 'off' ? metaTools : []
}

/** The own tools of one session: those in front stay as they were at first; what is needed later comes behind what is listed by then. */
export class OwnTools {
  readonly #settings: Settings
  #front: readonly ListItem[] | undefined
  #late: readonly ListItem[] = []
  #lateAt = 0

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** @param listed how many upstream tools are listed */
  settle(deferring: boolean, listed: number): void {
    if (!this.#front) {
      this.#front = ownTools(this.#settings, deferring)
      return
    }
    if (!deferring || this.#late.length > 0) return
    this.#late = this.#missing(this.#front)
    this.#lateAt = listed
  }

  /** Those that are listed once something is deferred. */
  whole(): ListItem[] {
    const front = this.#front ?? []
    return [...front, ...this.#missing(front)]
  }

  /** The list with the own tools in their places. */
  around<T>(listed: readonly T[], own: (item: ListItem) => T): T[] {
    const front = (this.#front ?? []).map(own)
    return [...front, ...listed.slice(0, this.#lateAt), ...this.#late.map(own), ...listed.slice(this.#lateAt)]
  }

  // --- internal ---

  #missing(front: readonly ListItem[]): ListItem[] {
    const there = new Set(front.map(({ key }) => key))
    return ownTools(this.#settings, true).filter(({ key }) => !there.has(key))
  }
}

/** @param deferring whether something of the catalog is not listed, or may come to be */
export function ownTools(settings: Settings, deferring: boolean): ListItem[] {
  const scope: OwnToolsScope = { names: toolNamesOf(settings), responses: settings.responses.enabled, deferring }
  const made: [string, object][] = metaToolsOf(settings).map((name) => [name, metaToolDefinition(name, scope.names)])
  if (deferring) made.unshift([scope.names.call, callToolDefinition(scope)])
  if (scope.responses || deferring) {
    made.unshift([scope.names.search, searchToolDefinition(scope)], [scope.names.read, readToolDefinition(scope)])
  }
  return made.map(([key, definition]) => ({ key, json: JSON.stringify(definition) }))
}

export function ownTemplates(settings: Settings): ListItem[] {
  return settings.responses.enabled ? [TEMPLATE_ENTRY] : []
}
