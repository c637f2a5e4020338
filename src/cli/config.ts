/** `sluice config`: reads and changes the settings of the configuration file. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { SluiceError } from '../base/errors.js'
import { nearest } from '../base/nearest.js'
import { encodeText } from '../config/document.js'
import {
  allSettings,
  defaultValue,
  readSettings,
  type SettingKey,
  type SettingsFile,
  settingNamed,
  withSetting,
  writtenValue,
} from '../config/edit-settings.js'
import { type Environment, variableOf } from '../config/environment.js'
import type { OptionRow } from '../config/option-schema.js'
import { readIfThere } from '../config/read-file.js'
import { replaceFile } from '../config/replace-file.js'
import { rememberTrust, trustOf } from '../config/trust.js'
import { userFile } from '../config/user-file.js'
import { showFound } from '../config/values.js'
import type { FlagValues } from './commands.js'

/** The shape of its `--json`. */
export const configReport = z.strictObject({
  file: z.string(),
  action: z.enum(['list', 'get', 'set', 'unset']),
  /** `removed`: also for a value that equals the default, which is never written. */
  change: z.enum(['none', 'written', 'removed']),
  settings: z.array(
    z.strictObject({
      key: z.string(),
      /** As it stands in the file, else the default; null: none. */
      value: z.json(),
      default: z.json(),
      source: z.enum(['file', 'default']),
    }),
  ),
})

type ConfigReport = z.output<typeof configReport>

interface ConfigContext {
  readonly environment: Environment
  readonly write: (text: string) => void
}

/**
 * The exit code: 0.
 * @param words the words behind `config`
 * @throws USAGE for a word, setting or value that does not exist, with the nearest; CONFIG_SYNTAX, FILE_BUSY, FILE_WRITE
 */
export function config(
  words: readonly string[],
  flags: Readonly<Partial<Pick<FlagValues, 'config' | 'json'>>>,
  { environment, write }: ConfigContext,
): number {
  const [action = 'list', ...rest] = words
  const verb = Object.hasOwn(VERBS, action) ? VERBS[action as keyof typeof VERBS] : undefined
  if (verb === undefined) throw unknownVerb(action)
  if (rest.length !== verb.words) throw new SluiceError('USAGE', `write "sluice config ${verb.usage}"`)
  const place = placeOf(flags.config, environment)
  const report = verb.run({ ...place, environment }, rest)
  write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : verb.render(report))
  return 0
}

// --- internal ---

interface Place {
  readonly file: string
  /** Undefined: there is none yet. */
  readonly bytes: Uint8Array | undefined
  readonly settings: SettingsFile
  readonly environment: Environment
}

interface Verb {
  readonly usage: string
  /** How many words must follow. */
  readonly words: number
  readonly run: (place: Place, words: readonly string[]) => ConfigReport
  readonly render: (report: ConfigReport) => string
}

const VERBS: Readonly<Record<'list' | 'get' | 'set' | 'unset', Verb>> = {
  list: {
    usage: 'list',
    words: 0,
    run: (place) => reportOf(place, 'list', allSettings(place.settings)),
    render: ({ file, settings }) => {
      const lines = settings.map(
        ({ key, value, source }) => `${key} = ${shown(value)}${source === 'default' ? '  (default)' : ''}`,
      )
      return `# ${file}\n${lines.join('\n')}\n`
    },
  },
  get: {
    usage: 'get <key>',
    words: 1,
    run: (place, [key = '']) => reportOf(place, 'get', [settingNamed(key)]),
    render: ({ settings }) => settings.map(({ value }) => `${shown(value)}\n`).join(''),
  },
  set: {
    usage: 'set <key> <value>',
    words: 2,
    run: (place, [name = '', given = '']) => {
      const key = settingNamed(name)
      return change(place, 'set', { key, value: readValue(key.row, name, given) })
    },
    render: told,
  },
  unset: {
    usage: 'unset <key>',
    words: 1,
    run: (place, [name = '']) => change(place, 'unset', { key: settingNamed(name), value: undefined }),
    render: told,
  },
}

function unknownVerb(word: string): SluiceError {
  const names = Object.keys(VERBS)
  const meant = nearest(word, names)
  const hint = meant === undefined ? `there are ${names.join(', ')}` : `did you mean ${JSON.stringify(meant)}?`
  return new SluiceError('USAGE', `${showFound(word)} is nothing that "sluice config" does; ${hint}`)
}

/** The file that a gateway started here would read, or the user's own, to be made. */
function placeOf(given: string | undefined, environment: Environment): Pick<Place, 'file' | 'bytes' | 'settings'> {
  const named = given ?? (variableOf(environment, 'SLUICE_CONFIG') || undefined)
  const project = path.join(environment.cwd, 'sluice.json')
  const file =
    named === undefined ? (existsSync(project) ? project : userFile(environment)) : path.resolve(environment.cwd, named)
  const bytes = readIfThere(file)
  return { file, bytes, settings: readSettings(file, bytes) }
}

function reportOf({ file, settings }: Place, action: ConfigReport['action'], keys: readonly SettingKey[]): ConfigReport {
  const rows = keys.map((key) => {
    const written = writtenValue(settings, key)
    const standing = defaultValue(settings, key)
    const source = written === undefined ? ('default' as const) : ('file' as const)
    return {
      key: key.path.join('.'),
      value: (written ?? standing) as z.core.util.JSONType,
      default: standing as z.core.util.JSONType,
      source,
    }
  })
  return { file, action, change: 'none', settings: rows }
}

function change(place: Place, action: 'set' | 'unset', { key, value }: { key: SettingKey; value: unknown }): ConfigReport {
  const { file, bytes, settings, environment } = place
  const text = withSetting(settings, key, value, (name) => variableOf(environment, name))
  const isChanged = text !== settings.text
  const after = encodeText(text, bytes)
  if (isChanged) {
    const wasTrusted = bytes !== undefined && trustOf({ path: file, bytes }, environment.dataDir) === 'trusted'
    replaceFile(file, bytes, after)
    // Who changes a trusted file here means it.
    if (wasTrusted) rememberTrust({ path: file, bytes: after }, environment.dataDir)
  }
  const now = isChanged ? readSettings(file, after) : settings
  const isThere = writtenValue(now, key) !== undefined
  return {
    ...reportOf({ ...place, settings: now }, action, [key]),
    change: isChanged ? (isThere ? 'written' : 'removed') : 'none',
  }
}

/** Numbers and truths as such, times and sizes as they were given, lists from JSON or commas. */
function readValue(row: OptionRow, name: string, given: string): unknown {
  const value = row.shape === 'list' ? listOf(given) : given.trim()
  const result = row.schema.safeParse(value)
  if (!result.success) {
    throw new SluiceError('USAGE', `${name} must be ${result.error.issues[0]?.message}, found ${showFound(given)}`)
  }
  return typeof result.data === 'number' && !/^\d+$/.test(given.trim()) ? given.trim() : result.data
}

function listOf(given: string): unknown {
  if (!given.trimStart().startsWith('['))
    return given
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean)
  try {
    return JSON.parse(given) as unknown
  } catch (cause) {
    throw new SluiceError('USAGE', `${showFound(given)} is no JSON list`, { cause })
  }
}

function told({ file, action, change: what, settings }: ConfigReport): string {
  const outcome = (source: 'file' | 'default') => {
    const isDefault = action === 'set' && source === 'default'
    if (what === 'written') return `written to ${file}`
    if (what === 'removed') return `${isDefault ? 'the default, so it is not written; ' : ''}removed from ${file}`
    return isDefault ? 'the default, so it is not written' : action === 'set' ? 'as it was' : 'was not set'
  }
  return settings.map(({ key, value, source }) => `${key} = ${shown(value)}  (${outcome(source)})\n`).join('')
}

function shown(value: unknown): string {
  return value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
}
