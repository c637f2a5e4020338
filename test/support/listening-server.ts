/** A fixture that serves HTTP, in a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appears, fixture } from './gateway.js'

export interface ListeningServer {
  readonly url: string
  close(): Promise<void>
}

/** Starts a fixture that prints its address as the first line. */
export async function listenHttp(file: string, ...args: string[]): Promise<ListeningServer> {
  const { command = '', args: line = [] } = fixture(file, ...args)
  const child = spawn(command, line, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const url = await appears(child, () => /^(http:\S+)\n/.exec(said)?.[1])
  return {
    url,
    async close() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}
