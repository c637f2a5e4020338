/** The settings: what the file says under `sluice`, over it the flags, checked and completed. */
import type { ClientSettings, Settings } from './config.js'
import { expandStrings, type Lookup } from './expand.js'
import { jwtFaults, jwtOf } from './jwt-settings.js'
import { type Finding, findingsOf, isRecord, optionRows, unknownKeys, valueAt } from './option-schema.js'
import { type SettingsOptions, settingsSchema } from './options.js'
import { showFound } from './values.js'

/** Settings given by flag: value by path, `context.responses.thresholdBytes`. */
export type SettingFlags = ReadonlyMap<string, unknown>

export interface ParsedSettings {
  readonly settings: Settings
  readonly clients: readonly ClientSettings[]
  /** For servers that give none of their own. */
  readonly connectTimeoutMs: number
  readonly notes: readonly string[]
}

/** The settings, or what is wrong with them, all of it. Paths are within `sluice`. */
export function parseSettings(written: unknown, flags: SettingFlags, lookup: Lookup): ParsedSettings | readonly Finding[] {
  if (!isRecord(written)) return [{ path: [], message: `must be an object, found ${showFound(written)}` }]
  const expansion = expandStrings(written, lookup)
  const given = overlay(expansion.value, flags)
  const unset = new Set(expansion.faults.map(({ path }) => path.join('.')))
  const faults = [...unknownKeys(settingsSchema, given), ...expansion.faults]
  const parsed = settingsSchema.safeParse(given)
  if (!parsed.success) {
    const shape = findingsOf(parsed.error, overlay(written, flags), () => false)
    return [...faults, ...shape.filter(({ path }) => !unset.has(path.join('.')))]
  }
  faults.push(...sameNames(parsed.data), ...jwtFaults(parsed.data))
  const clients = clientSettings(expansion.value, flags)
  faults.push(...clients.faults)
  if (faults.length > 0) return faults
  const inert = optionRows(settingsSchema).filter((row) => row.later === true && valueAt(given, row.path) !== undefined)
  return {
    settings: settingsOf(parsed.data),
    clients: clients.settings,
    connectTimeoutMs: parsed.data.connectTimeout,
    notes: inert.map((row) => `${JSON.stringify(row.path.join('.'))} has no effect in this version yet`),
  }
}

// --- internal ---

function overlay(written: Record<string, unknown>, flags: SettingFlags): Record<string, unknown> {
  return [...flags].reduce((settings, [path, value]) => withValue(settings, path.split('.'), value), written)
}

/** A copy with one value set. Something that is no object stays on the way, for the schema to report. */
function withValue(object: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [key, ...rest] = path
  if (key === undefined) return object
  if (rest.length === 0) return { ...object, [key]: value }
  const inner = object[key] ?? {}
  return isRecord(inner) ? { ...object, [key]: withValue(inner, rest, value) } : object
}

/** Each client's settings, complete: the file's, over them the client's own, over those the flags. Called once all of it has its shape. */
function clientSettings(
  written: Record<string, unknown>,
  flags: SettingFlags,
): { settings: ClientSettings[]; faults: Finding[] } {
  const { clients, ...base } = written
  const settings: ClientSettings[] = []
  const faults: Finding[] = []
  for (const [glob, own] of Object.entries(isRecord(clients) ? clients : {})) {
    const parsed = settingsSchema.parse(overlay(merged(base, isRecord(own) ? own : {}), flags))
    faults.push(...sameNames(parsed).map(({ path, message }) => ({ path: ['clients', glob, ...path], message })))
    settings.push({ glob, settings: settingsOf(parsed) })
  }
  return { settings, faults }
}

/** Objects member by member; any other value is replaced. */
function merged(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const all = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(over)) {
    const before = all.get(key)
    all.set(key, isRecord(before) && isRecord(value) ? merged(before, value) : value)
  }
  return Object.fromEntries(all)
}

/** Names of the gateway's tools must differ. */
function sameNames({ context, metaTools }: SettingsOptions): Finding[] {
  const keys = ['searchTool', 'readTool', 'callTool'] as const
  return keys.flatMap((key, index) => {
    const meta = metaTools.find((name) => name === context[key])
    if (meta) return [{ path: ['context', key], message: `is ${JSON.stringify(meta)}, which is one of metaTools` }]
    const other = keys.slice(0, index).find((before) => context[before] === context[key])
    if (other === undefined) return []
    return [{ path: ['context', key], message: `is ${JSON.stringify(context[key])}, which context.${other} is called already` }]
  })
}

function settingsOf(options: SettingsOptions): Settings {
  const { responses, catalog, vector, searchTool, readTool, callTool } = options.context
  const { mode, allowlist, pins, maxTools, contextBudget, adaptive, disclosure, descriptionBudget, activation, dialect } =
    options
  return {
    naming: options.naming,
    initWaitMs: options.initWait,
    listWaitMs: options.listWait,
    pageSize: options.pageSize,
    searchWaitMs: options.searchWait,
    startConcurrency: options.startConcurrency,
    maxWorkers: options.maxWorkers,
    sessionIdleMs: options.sessionIdle,
    hibernateAfterMs: options.hibernateAfter,
    maxIndexBytes: options.maxIndexBytes,
    maxMessageBytes: options.maxMessageBytes,
    stats: options.stats,
    jwt: jwtOf(options),
    responses,
    catalog: {
      ...catalog,
      mode,
      allowlist,
      pins,
      maxTools,
      contextBudget,
      adaptive,
      disclosure,
      descriptionBudget,
      activation,
      dialect,
    },
    vector,
    searchTool,
    readTool,
    callTool,
    metaTools: options.metaTools,
  }
}
