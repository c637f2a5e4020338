/** Reads and changes one setting in the text of a configuration file; comments and all else stay. */
import { isDeepStrictEqual } from 'node:util'
import { SluiceError } from '../base/errors.js'
import { nearest } from '../base/nearest.js'
import { type ConfigDocument, decodeText, documentOf, parseDocument } from './document.js'
import type { Lookup } from './expand.js'
import { editMembers, isBare } from './json-members.js'
import { type Finding, type OptionRow, optionRows, renderPath, unknownKeys, valueAt } from './option-schema.js'
import { settingsSchema } from './options.js'
import { parseSettings } from './settings.js'

export interface SettingKey {
  /** Within the settings: `['clients', 'cursor*', 'maxTools']`. */
  readonly path: readonly string[]
  readonly row: OptionRow
}

export interface SettingsFile {
  readonly text: string
  readonly document: ConfigDocument
  /** The key that the settings stand under: `sluice`, or `slim` where the file has that. */
  readonly under: string
}

/** A file that is not there, or is empty, holds no settings. @throws CONFIG_SYNTAX, CONFIG_INVALID */
export function readSettings(origin: string, bytes: Uint8Array | undefined): SettingsFile {
  const text = bytes === undefined ? '' : decodeText(origin, bytes)
  const document = bytes === undefined || text.trim() === '' ? documentOf(origin, {}) : parseDocument(origin, bytes)
  const has = (key: string) => Object.hasOwn(document.value, key)
  return { text, document, under: has('slim') && !has('sluice') ? 'slim' : 'sluice' }
}

/**
 * The setting that a person means: `maxTools`, `sluice.context.vector.enabled`, `clients.cursor*.maxTools`.
 * @throws USAGE with the nearest setting
 */
export function settingNamed(key: string): SettingKey {
  const name = key.replace(/^(?:sluice|slim)\./, '')
  const found = name.startsWith('clients.') ? clientSetting(name.slice('clients.'.length)) : plainSetting(name)
  if (found !== undefined) return found
  const [unknown] = unknownKeys(settingsSchema, nested(name.split('.'), 0))
  if (unknown !== undefined) throw new SluiceError('USAGE', `${unknown.message}${alternatives(unknown)}`)
  const inside = settingRows().filter(({ path }) => path.join('.').startsWith(`${name}.`))
  const names = inside.map(({ path }) => path.join('.'))
  throw new SluiceError(
    'USAGE',
    names.length === 0
      ? `${JSON.stringify(name)} needs a client and a setting, such as clients.cursor*.maxTools`
      : `${JSON.stringify(name)} is a group; name one of ${names.join(', ')}`,
  )
}

/** Every setting, and those that the file gives to single clients. */
export function allSettings({ document, under }: SettingsFile): SettingKey[] {
  const own = settingRows().map((row): SettingKey => ({ path: row.path, row }))
  const clients = valueAt(document.value, [under, 'clients'])
  const ofClients = Object.entries((clients as object | undefined) ?? {}).flatMap(([glob, written]) =>
    clientRows()
      .filter(({ path }) => valueAt(written, path) !== undefined)
      .map((row): SettingKey => ({ path: ['clients', glob, ...row.path], row })),
  )
  return [...own, ...ofClients]
}

/** As it stands in the file; undefined where it does not. */
export function writtenValue({ document, under }: SettingsFile, { path }: SettingKey): unknown {
  return valueAt(document.value, [under, ...path])
}

/** What holds where the file does not say it; for one client, what holds for all. Null: nothing. */
export function defaultValue(file: SettingsFile, { path, row }: SettingKey): unknown {
  const forAll = path[0] === 'clients' ? valueAt(file.document.value, [file.under, ...row.path]) : undefined
  return forAll ?? row.defaultValue ?? null
}

/**
 * The text with the setting in it; without it where the value is what holds anyway.
 * @param value undefined takes it out
 * @throws USAGE for a value that it cannot have; CONFIG_INVALID where the file could not be edited with certainty
 */
export function withSetting(file: SettingsFile, key: SettingKey, value: unknown, lookup: Lookup): string {
  const isDefault = value !== undefined && isDeepStrictEqual(parsed(key, value), parsed(key, defaultValue(file, key)))
  const wanted = isDefault ? undefined : value
  const path = [file.under, ...key.path]
  const text = wanted === undefined ? without(file.text, path) : withMember(file.text, path, wanted)
  const after = readSettings(file.document.origin, Buffer.from(text))
  if (!isDeepStrictEqual(valueAt(after.document.value, path), wanted)) {
    throw new SluiceError('CONFIG_INVALID', `${file.document.origin} cannot be edited: a key stands in it twice`)
  }
  const before = new Set(faultsOf(file, lookup))
  const fault = faultsOf(after, lookup).find((one) => !before.has(one))
  if (fault !== undefined) throw new SluiceError('USAGE', fault)
  return text
}

// --- internal ---

function settingRows(): OptionRow[] {
  return optionRows(settingsSchema).filter(({ shape }) => shape !== 'map')
}

/** What one client may have otherwise. */
function clientRows(): OptionRow[] {
  return settingRows().filter(({ path }) => unknownKeys(settingsSchema, nested(['clients', '*', ...path], 0)).length === 0)
}

/** Settings that are called alike in several groups: the check of a file can name only one. */
function alternatives({ path, message }: Finding): string {
  const rows = settingRows()
  const last = nearest(String(path.at(-1)), new Set(rows.map((row) => row.path.at(-1) ?? '')))
  const meant = rows.filter((row) => row.path.at(-1) === last).map((row) => JSON.stringify(row.path.join('.')))
  return message.endsWith('?') || meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`
}

function plainSetting(name: string): SettingKey | undefined {
  const row = settingRows().find(({ path }) => path.join('.') === name)
  return row && { path: row.path, row }
}

/** The client's glob may have dots in it, so the setting is looked for from the end; the longest counts. */
function clientSetting(rest: string): SettingKey | undefined {
  const fits = clientRows().filter(({ path }) => rest.endsWith(`.${path.join('.')}`))
  const row = fits.sort((a, b) => b.path.length - a.path.length)[0]
  if (row === undefined) return undefined
  const glob = rest.slice(0, -row.path.join('.').length - 1).replace(/^"(.*)"$/, '$1')
  return glob === '' ? undefined : { path: ['clients', glob, ...row.path], row }
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
}

function parsed({ row }: SettingKey, value: unknown): unknown {
  return row.schema.safeParse(value).data ?? value
}

function withMember(text: string, path: readonly string[], value: unknown): string {
  const name = path.at(-1) ?? ''
  return editMembers(text, path.slice(0, -1), { remove: [name], add: [{ name, value }] })
}

/** Takes out the objects around it too, where nothing is left in them. */
function without(text: string, path: readonly string[]): string {
  const parent = path.slice(0, -1)
  const edited = editMembers(text, parent, { remove: [path.at(-1) ?? ''], add: [] })
  return edited !== text && parent.length > 0 && isBare(edited, parent) ? without(edited, parent) : edited
}

function faultsOf({ document, under }: SettingsFile, lookup: Lookup): string[] {
  const result = parseSettings(document.value[under] ?? {}, new Map(), lookup)
  return Array.isArray(result) ? result.map(({ path, message }: Finding) => `${renderPath(path)}: ${message}`) : []
}
