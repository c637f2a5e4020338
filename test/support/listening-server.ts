/** Servers that listen on HTTP, each in a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { packageRoot } from '../../src/base/version.js'
import { appears, fixture } from './gateway.js'

export interface ListeningServer {
  readonly url: string
  close(): Promise<void>
}

/** Starts a fixture that prints its address as the first line. */
export function listenHttp(file: string, ...args: string[]): Promise<ListeningServer> {
  const { args: line = [] } = fixture(file, ...args)
  return listen(line, (said) => /^(http:\S+)\n/.exec(said)?.[1])
}

/** Starts the reference server on a free port of 127.0.0.1. */
export function listenEverything(transport: 'streamableHttp' | 'sse'): Promise<ListeningServer> {
  const loopback = join(packageRoot(), 'dist/test/fixtures/http-loopback.js')
  const server = join(packageRoot(), 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')
  const path = transport === 'sse' ? 'sse' : 'mcp'
  return listen(['--import', loopback, server, transport], (said) => {
    const port = /PORT=(\d+)\n/.exec(said)?.[1]
    return port && `http://127.0.0.1:${port}/${path}`
  })
}

// --- internal ---

/** @param addressIn finds the address in what it has printed so far */
async function listen(args: readonly string[], addressIn: (said: string) => string | undefined): Promise<ListeningServer> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, PORT: '0' } })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    if (said.length < SHOWN_CHARS) said += chunk.toString()
  })
  const url = await appears(child, () => addressIn(said))
  return {
    url,
    async close() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** Only the beginning tells the address. */
const SHOWN_CHARS = 10_000
