/** From a document to the complete, frozen configuration; every fault of it is reported, together. */

import { SluiceError } from '../base/errors.js'
import { nearest } from '../base/nearest.js'
import { assignAliases } from './alias.js'
import type { DisabledServer, GatewayConfig, ServerConfig } from './config.js'
import type { ConfigDocument } from './document.js'
import { type Environment, variableOf } from './environment.js'
import { type Finding, isRecord, renderPath, unknownMessage } from './option-schema.js'
import { settingsSchema } from './options.js'
import { createRedactor } from './secrets.js'
import { type ParsedEntry, type ParsedServer, parseServerEntry } from './server-entry.js'
import { type ParsedSettings, parseSettings, type SettingFlags } from './settings.js'
import { showFound } from './values.js'

export interface BuildOptions {
  readonly environment: Environment
  readonly flags?: SettingFlags | undefined
}

/** @throws CONFIG_INVALID with a line for each fault outside the entries; NO_SERVER_LEFT with a line for each entry */
export function buildConfig(document: ConfigDocument, { environment, flags = new Map() }: BuildOptions): GatewayConfig {
  const lookup = (name: string) => variableOf(environment, name)
  const settingsKey = Object.hasOwn(document.value, 'slim') && !Object.hasOwn(document.value, 'sluice') ? 'slim' : 'sluice'
  const parsed = parseSettings(document.value[settingsKey] ?? {}, flags, lookup)
  const faults = [...topFaults(document), ...serverListFaults(document)]
  if (isFindings(parsed)) faults.push(...parsed.map(({ path, message }) => ({ path: [settingsKey, ...path], message })))
  if (isFindings(parsed) || faults.length > 0) throw invalid(document, faults)
  const context = { lookup, connectTimeoutMs: parsed.connectTimeoutMs }
  const { entries, notes } = serverEntries(document)
  const results = new Map([...entries].map(([name, entry]) => [name, parseServerEntry(name, entry, context)]))
  return assemble(document, parsed, { results, notes })
}

/** The entries of a document by name, unchecked, in the order of the file. */
export function serverEntries(document: ConfigDocument): { entries: ReadonlyMap<string, unknown>; notes: readonly string[] } {
  const entries = new Map<string, unknown>()
  const notes: string[] = []
  for (const path of presentLists(document)) {
    for (const [name, entry] of Object.entries(listAt(document, path) ?? {})) {
      if (entries.has(name)) notes.push(`${renderPath([...path, name])} is passed over; another list has a server of that name`)
      else entries.set(name, entry)
    }
  }
  return { entries, notes }
}

// --- internal ---

/** Where a file may have its servers; all that are there count. */
const SERVER_LISTS = [['mcpServers'], ['servers'], ['mcp', 'servers']] as const
const TOP_KEYS = ['mcpServers', 'servers', 'sluice', 'mcp', 'slim', '$schema', 'inputs']

interface EntryResults {
  readonly results: ReadonlyMap<string, ParsedEntry>
  readonly notes: readonly string[]
}

function assemble(document: ConfigDocument, parsed: ParsedSettings, { results, notes }: EntryResults): GatewayConfig {
  const usable = [...results.values()].flatMap(({ server }) => server ?? [])
  const aliases = assignAliases(usable)
  const servers: ServerConfig[] = usable.flatMap((server: ParsedServer) => {
    const alias = aliases.byName.get(server.name)
    return alias === undefined ? [] : [{ ...server, alias }]
  })
  const disabled: DisabledServer[] = [...results].flatMap(([name, { faults }]) => {
    const owner = aliases.taken.get(name)
    const reasons = owner === undefined ? faults : [`alias: is taken by the server ${JSON.stringify(owner)}; choose another`]
    return reasons.length === 0 ? [] : [{ name, reason: reasons.join('; ') }]
  })
  const allNotes = [...document.notes, ...parsed.notes, ...notes, ...[...results.values()].flatMap((result) => result.notes)]
  if (servers.length === 0) throw noServerLeft(document, disabled, allNotes)
  const redact = createRedactor([...results.values()].flatMap(({ secrets }) => secrets))
  const switchedOff = [...results].flatMap(([name, { server, faults }]) =>
    server === undefined && faults.length === 0 ? [name] : [],
  )
  const { settings, clients } = parsed
  return freeze({ origin: document.origin, settings, clients, servers, disabled, switchedOff, notes: allNotes, redact })
}

function isFindings(parsed: ParsedSettings | readonly Finding[]): parsed is readonly Finding[] {
  return Array.isArray(parsed)
}

function topFaults(document: ConfigDocument): Finding[] {
  const unknown = Object.keys(document.value).filter((key) => !TOP_KEYS.includes(key))
  const faults = unknown.map((key) => ({ path: [key], message: unknownTop(key) }))
  const { mcp } = document.value
  if (isRecord(mcp)) {
    const inner = Object.keys(mcp).filter((key) => key !== 'servers' && key !== 'inputs')
    faults.push(
      ...inner.map((key) => ({ path: ['mcp', key], message: unknownMessage(key, nearest(key, ['servers', 'inputs'])) })),
    )
  } else if (mcp !== undefined) faults.push({ path: ['mcp'], message: `must be an object, found ${showFound(mcp)}` })
  if (document.value['sluice'] !== undefined && document.value['slim'] !== undefined) {
    faults.push({ path: ['slim'], message: 'is another name of "sluice", which is there too; keep one of them' })
  }
  return faults
}

function unknownTop(key: string): string {
  if (Object.hasOwn(settingsSchema.shape, key)) return `${JSON.stringify(key)} is no option here; put it under "sluice"`
  return unknownMessage(key, nearest(key, TOP_KEYS) ?? nearest(key, Object.keys(settingsSchema.shape)))
}

function presentLists({ value }: ConfigDocument) {
  return SERVER_LISTS.filter(([first, second]) => {
    const outer = value[first]
    return second === undefined ? outer !== undefined : isRecord(outer) && outer[second] !== undefined
  })
}

function listAt({ value }: ConfigDocument, path: (typeof SERVER_LISTS)[number]): Record<string, unknown> | undefined {
  const list = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value)
  return isRecord(list) ? list : undefined
}

function serverListFaults(document: ConfigDocument): Finding[] {
  const broken = presentLists(document).filter((path) => listAt(document, path) === undefined)
  return broken.map((path) => ({ path: [...path], message: 'must be an object with a server under each name' }))
}

/** One line a fault, with its place where there is one. */
function invalid(document: ConfigDocument, faults: readonly Finding[]): SluiceError {
  const lines = faults.map(({ path, message }) => `${document.locate(path)}: ${renderPath(path)}: ${message}`)
  return new SluiceError('CONFIG_INVALID', lines.join('\n'))
}

function noServerLeft(document: ConfigDocument, disabled: readonly DisabledServer[], notes: readonly string[]): SluiceError {
  const reasons = disabled.map(({ name, reason }) => `server ${JSON.stringify(name)}: ${reason}`)
  const lines = [...reasons, ...notes]
  const why = lines.length === 0 ? ' there is no entry under "mcpServers"' : `\n  ${lines.join('\n  ')}`
  return new SluiceError('NO_SERVER_LEFT', `${document.origin}: no usable server is left:${why}`)
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const item of Object.values(value)) freeze(item)
  }
  return value
}
