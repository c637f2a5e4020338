/** What is known of a client: where its files are, where in them its servers stand, and how its entries are written. */
import path from 'node:path'
import { type Environment, variableOf } from '../environment.js'

export type ClientName = 'claude-desktop' | 'claude-code' | 'cursor' | 'windsurf' | 'vscode' | 'codex' | 'gemini' | 'zed'

/** What the places of files are derived from. */
export type Places = Pick<Environment, 'variables' | 'cwd' | 'home' | 'platform'>

export interface ClientFile {
  /** Absolute. */
  readonly path: string
  readonly format: 'json' | 'toml'
  /** The keys that lead to its servers. */
  readonly list: readonly string[]
  /** `project`: it came with the current folder, so it starts commands only when the user trusts it. */
  readonly scope: 'user' | 'project'
}

/** A program and its arguments. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

export interface Client {
  readonly name: ClientName
  /** As its makers call it. */
  readonly title: string
  /** The first is the one that holds for the whole user, which `sluice init` edits. */
  readonly files: (places: Places) => readonly [ClientFile, ...ClientFile[]]
  /** How a server that is to be launched is written in its file. */
  readonly entryOf: (launch: Launch) => Readonly<Record<string, unknown>>
}

/** Joins in the way of the platform that the places are of, whatever this process runs on. */
export function joinOf({ platform }: Places): (...parts: string[]) => string {
  return platform === 'win32' ? path.win32.join : path.posix.join
}

/** Where programs keep the user's settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`. */
export function settingsFolder(places: Places): string {
  const join = joinOf(places)
  if (places.platform === 'darwin') return join(places.home, 'Library', 'Application Support')
  if (places.platform === 'win32') return variableOf(places, 'APPDATA') || join(places.home, 'AppData', 'Roaming')
  return xdgFolder(places)
}

/** `$XDG_CONFIG_HOME` where it is absolute, else `~/.config`. */
export function xdgFolder(places: Places): string {
  const given = variableOf(places, 'XDG_CONFIG_HOME')
  return given !== undefined && path.posix.isAbsolute(given) ? given : joinOf(places)(places.home, '.config')
}
