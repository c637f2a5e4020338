/** Finds the configuration file, in the order of its possible places, and loads it. */
import path from 'node:path'
import { SluiceError } from '../base/errors.js'
import { buildConfig } from './build-config.js'
import { discoveredDocument, withDiscovered } from './clients/discover.js'
import type { GatewayConfig } from './config.js'
import { type ConfigDocument, parseDocument } from './document.js'
import { type Environment, variableOf } from './environment.js'
import { readIfThere, readRequired } from './read-file.js'
import type { SettingFlags } from './settings.js'
import { trustOf } from './trust.js'
import { userFiles } from './user-file.js'

export interface LoadOptions {
  readonly environment: Environment
  /** From `--config`. */
  readonly path?: string | undefined
  /** Settings from flags; they go before those of the file. */
  readonly flags?: SettingFlags | undefined
}

export interface ConfigFile {
  /** Absolute. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly document: ConfigDocument
}

/**
 * The configuration from the first place that has one: `--config`, `$SLUICE_CONFIG`, `./sluice.json` (which must be trusted),
 * the user's folder, the files of the clients.
 * @throws CONFIG_NONE, CONFIG_MISSING, CONFIG_SYNTAX, CONFIG_INVALID, CONFIG_UNTRUSTED, NO_SERVER_LEFT
 */
export function loadConfig(options: LoadOptions): GatewayConfig {
  const { environment, flags } = options
  for (const { places, required, needsTrust, isUsers } of SOURCES) {
    for (const place of places(options)) {
      const file = readPlace(path.resolve(environment.cwd, place), required)
      if (file === undefined) continue
      if (needsTrust) checkTrust(file, environment)
      const document = parseDocument(file.path, file.bytes)
      return buildConfig(isUsers ? withDiscovered(document, environment) : document, { environment, flags })
    }
  }
  return buildConfig(discoveredDocument(environment), { environment, flags })
}

/** The file that `sluice trust` is about, or undefined where the folder has none. Throws as {@link loadConfig} does. */
export function readProjectFile(environment: Environment): ConfigFile | undefined {
  const file = path.join(environment.cwd, PROJECT_FILE)
  const bytes = readIfThere(file)
  return bytes && { path: file, bytes, document: parseDocument(file, bytes) }
}

// --- internal ---

const PROJECT_FILE = 'sluice.json'

interface Source {
  /** Paths to look at, in this order; relative ones are from the current folder. */
  readonly places: (options: LoadOptions) => readonly string[]
  /** A file that was named must be there. */
  readonly required: boolean
  /** A file that came with the folder starts commands only when the user said so. */
  readonly needsTrust: boolean
  /** The user's own: where it has settings alone, the servers are discovered. */
  readonly isUsers?: boolean
}

const SOURCES: readonly Source[] = [
  { places: ({ path: given }) => (given === undefined ? [] : [given]), required: true, needsTrust: false },
  {
    places: ({ environment }) => [variableOf(environment, 'SLUICE_CONFIG') ?? ''].filter((given) => given !== ''),
    required: true,
    needsTrust: false,
  },
  { places: () => [PROJECT_FILE], required: false, needsTrust: true },
  { places: ({ environment }) => userFiles(environment), required: false, needsTrust: false, isUsers: true },
]

function readPlace(file: string, required: boolean): { path: string; bytes: Uint8Array } | undefined {
  const bytes = required ? readRequired(file) : readIfThere(file)
  return bytes && { path: file, bytes }
}

function checkTrust(file: { path: string; bytes: Uint8Array }, environment: Environment): void {
  if (userFiles(environment).includes(file.path)) return
  const trust = trustOf(file, environment.dataDir)
  if (trust === 'trusted') return
  const what = trust === 'new' ? 'is new here and not trusted yet' : 'has changed since it was trusted'
  throw new SluiceError('CONFIG_UNTRUSTED', `${file.path} would start commands and ${what}`)
}
