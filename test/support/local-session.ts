/** Sessions of the command line's own, as its commands open them, in a home that goes with them. */

import { type LocalSession, openLocalSession } from '../../src/cli/local-session.js'
import type { Environment } from '../../src/config/environment.js'
import { loadConfig } from '../../src/config/load-config.js'
import { createHome, type ServerEntry } from './gateway.js'

export interface OwnSession {
  readonly session: LocalSession
  close(): Promise<void>
}

export async function openOwnSession(
  servers: Readonly<Record<string, ServerEntry>>,
  settings: object = {},
): Promise<OwnSession> {
  const home = createHome(servers, settings)
  const environment: Environment = {
    variables: { PATH: process.env['PATH'] ?? '' },
    cwd: home.folder,
    home: home.folder,
    configDir: home.folder,
    dataDir: `${home.folder}/data`,
    platform: process.platform,
  }
  const config = loadConfig({ environment, path: home.config })
  const session = await openLocalSession({ config, environment, flags: {}, atOnce: true })
  return {
    session,
    async close() {
      await session.close()
      home.remove()
    },
  }
}

/** What a command writes, and its exit code. */
export async function output(run: (write: (text: string) => void) => Promise<number>): Promise<{ text: string; exit: number }> {
  let text = ''
  const exit = await run((piece) => {
    text += piece
  })
  return { text, exit }
}
