/** `sluice init` as a process runs it: how clients are to start this Sluice, and the questions on a terminal. */
import { fileURLToPath } from 'node:url'
import type { Launch } from '../config/clients/client.js'
import { PACKAGE } from '../config/clients/own-entry.js'
import type { Environment } from '../config/environment.js'
import { userFile } from '../config/user-file.js'
import { chooseClients } from './choose-clients.js'
import { type InitFlags, init } from './init.js'

export function startInit(flags: InitFlags, environment: Environment): Promise<number> {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true
  const cli = fileURLToPath(new URL('../cli.js', import.meta.url))
  return init(flags, {
    environment,
    launch: ownLaunch({ node: process.execPath, cli, config: userFile(environment) }),
    write: (text) => process.stdout.write(text),
    ...(isTerminal && { choose: (found) => chooseClients(found) }),
  })
}

/**
 * Absolute paths: a client that was started from a desktop has neither the shell's PATH nor its folder. A copy that npx has fetched
 * does not last, so that is fetched again.
 */
export function ownLaunch({ node, cli, config }: { node: string; cli: string; config: string }): Launch {
  const options = ['--config', config]
  if (/[\\/]_npx[\\/]/.test(cli)) return { command: 'npx', args: ['-y', PACKAGE, ...options] }
  return { command: node, args: [cli, ...options] }
}
