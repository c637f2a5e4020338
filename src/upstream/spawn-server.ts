/** Starts a server's process as its entry says, and tells in words why it could not be started. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { DEFAULT_INHERITED_ENV_VARS } from '@modelcontextprotocol/sdk/client/stdio.js'
import { messageOf, SluiceError } from '../base/errors.js'
import type { Wire } from '../config/config.js'

export type StdioWire = Extract<Wire, { kind: 'stdio' }>

type Environment = Readonly<Record<string, string>>

/**
 * Resolves when the process runs; it leads a process group of its own.
 * @param gatewayEnv all of the gateway's environment; the server gets the SDK's short list of it, or all with `inheritEnv`
 * @throws UPSTREAM_SPAWN naming the command or the folder, and what to do
 */
export function spawnServer(wire: StdioWire, gatewayEnv: Environment): Promise<ChildProcessWithoutNullStreams> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(spawnError(wire, error))
    try {
      const child = spawnOnThisSystem(wire, serverEnvironment(wire, gatewayEnv))
      child.once('error', fail)
      child.once('spawn', () => {
        child.off('error', fail)
        resolve(child)
      })
    } catch (error) {
      fail(error)
    }
  })
}

// --- internal ---

function serverEnvironment(wire: StdioWire, gatewayEnv: Environment): Record<string, string> {
  return { ...(wire.inheritEnv ? gatewayEnv : shortList(gatewayEnv)), ...wire.env }
}

/** As the SDK's client does it: no exported shell functions. Windows spells names in any case (`Path`). */
function shortList(gatewayEnv: Environment): Record<string, string> {
  const wanted = new Set(DEFAULT_INHERITED_ENV_VARS)
  const onWindows = process.platform === 'win32'
  const kept = Object.entries(gatewayEnv).filter(
    ([name, value]) => wanted.has(onWindows ? name.toUpperCase() : name) && !value.startsWith('()'),
  )
  return Object.fromEntries(kept)
}

function spawnOnThisSystem(wire: StdioWire, env: Record<string, string>): ChildProcessWithoutNullStreams {
  const { command, args, cwd } = wire
  const options = { env, cwd, stdio: 'pipe' as const, windowsHide: true }
  if (process.platform !== 'win32') return spawn(command, args, { ...options, detached: true })
  const script = /^(?:npx|npm|pnpm|pnpx|yarn|bunx)$/i.test(command) ? `${command}.cmd` : command
  if (!/\.(?:cmd|bat)$/i.test(script)) return spawn(command, args, options)
  // Node refuses to start scripts without a shell on Windows (CVE-2024-27980).
  return spawn(windowsQuote(script), args.map(windowsQuote), { ...options, shell: true })
}

function windowsQuote(word: string): string {
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}

function spawnError(wire: StdioWire, error: unknown): SluiceError {
  return new SluiceError('UPSTREAM_SPAWN', spawnFault(wire, error), { cause: error })
}

function spawnFault({ command, cwd }: StdioWire, error: unknown): string {
  if (cwd !== undefined && !isFolder(cwd)) return `its folder (cwd) "${cwd}" does not exist; create it or mend "cwd"`
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return `command "${command}" was not found; install it, or give its full path`
  if (code === 'EACCES') return `command "${command}" may not be executed; check its permissions (chmod +x)`
  return `command "${command}" could not be run: ${messageOf(error)}`
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
