/** Logging in as a person would: the command in a process of its own, its page opened, the redirect followed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appears, CLI, type Home, isolatedEnv } from './gateway.js'

export interface CommandRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** @param visit opens the page; follows its redirects by default */
export async function runLogin(
  home: Home,
  server: string,
  visit: (page: string) => Promise<unknown> = (page) => fetch(page).then((answer) => answer.text()),
  ...more: string[]
): Promise<CommandRun> {
  const child = spawn(process.execPath, [CLI, 'login', server, '--no-browser', '--config', home.config, ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: isolatedEnv(home.folder),
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString()
  })
  const ended = once(child, 'close')
  const page = await appears(child, () => /^ {2}(http\S+)\n/m.exec(said.stdout)?.[1]).catch(() => undefined)
  if (page !== undefined) await visit(page)
  const [code] = (await ended) as [number]
  return { code, ...said }
}

export async function runSluice(home: Home, ...args: string[]): Promise<CommandRun> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: isolatedEnv(home.folder) })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number]
  return { code, ...said }
}
