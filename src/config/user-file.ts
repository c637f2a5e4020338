/** Sluice's own file in the user's configuration folder. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Environment } from './environment.js'

/** Where it may be; the first that is there counts. */
export function userFiles({ configDir }: Pick<Environment, 'configDir'>): readonly [string, string] {
  return [path.join(configDir, 'sluice.json'), path.join(configDir, 'sluice.jsonc')]
}

/** The one that is there, else the one to make. */
export function userFile(environment: Pick<Environment, 'configDir'>): string {
  const [first, ...others] = userFiles(environment)
  return [first, ...others].find((file) => existsSync(file)) ?? first
}
