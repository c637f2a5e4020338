/** What the process was started with, read once; nothing else looks at `process.env`. */
import { homedir } from 'node:os'
import path from 'node:path'

export interface Environment {
  readonly variables: Readonly<Record<string, string>>
  readonly cwd: string
  /** The user's home folder. */
  readonly home: string
  /** Where the user's configuration lives: `~/.config/sluice` and its like. May not exist. */
  readonly configDir: string
  /** Where Sluice keeps what it remembers: `$SLUICE_DATA_DIR`, else `~/.local/share/sluice` and its like. May not exist. */
  readonly dataDir: string
  readonly platform: NodeJS.Platform
}

/** The facts that the folders are derived from. */
export interface ProcessFacts {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
}

export function readEnvironment(): Environment {
  return environmentOf({ variables: process.env, cwd: process.cwd(), home: homedir(), platform: process.platform })
}

export function environmentOf(facts: ProcessFacts): Environment {
  const set = Object.entries(facts.variables).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const variables = Object.freeze(Object.fromEntries(set))
  const { platform, cwd } = facts
  const [config, data] = (FOLDERS.get(platform) ?? xdgFolders)(facts.home, (name) => variableOf({ variables, platform }, name))
  return Object.freeze({
    variables,
    cwd,
    home: facts.home,
    platform,
    configDir: config,
    dataDir: variableOf({ variables, platform }, 'SLUICE_DATA_DIR') || data,
  })
}

/** A variable's value; names are case-blind on Windows, as they are there. */
export function variableOf(environment: Pick<Environment, 'variables' | 'platform'>, name: string): string | undefined {
  const { variables, platform } = environment
  if (Object.hasOwn(variables, name)) return variables[name]
  if (platform !== 'win32') return undefined
  const lower = name.toLowerCase()
  return Object.entries(variables).find(([key]) => key.toLowerCase() === lower)?.[1]
}

// --- internal ---

type Folders = (home: string, variable: (name: string) => string | undefined) => readonly [config: string, data: string]

const FOLDERS: ReadonlyMap<NodeJS.Platform, Folders> = new Map<NodeJS.Platform, Folders>([
  ['darwin', macFolders],
  ['win32', windowsFolders],
])

function macFolders(home: string): readonly [string, string] {
  const folder = path.posix.join(home, 'Library', 'Application Support', 'sluice')
  return [folder, folder]
}

function windowsFolders(home: string, variable: (name: string) => string | undefined): readonly [string, string] {
  const roaming = variable('APPDATA') || path.win32.join(home, 'AppData', 'Roaming')
  const local = variable('LOCALAPPDATA') || path.win32.join(home, 'AppData', 'Local')
  return [path.win32.join(roaming, 'sluice'), path.win32.join(local, 'sluice')]
}

/** The XDG rules say that a relative path in these variables is to be ignored. */
function xdgFolders(home: string, variable: (name: string) => string | undefined): readonly [string, string] {
  const base = (name: string, fallback: string) => {
    const given = variable(name)
    return path.posix.join(
      given !== undefined && path.posix.isAbsolute(given) ? given : path.posix.join(home, fallback),
      'sluice',
    )
  }
  return [base('XDG_CONFIG_HOME', '.config'), base('XDG_DATA_HOME', '.local/share')]
}
