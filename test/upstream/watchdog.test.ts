import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/logger.js'
import { createWatchdog } from '../../src/upstream/watchdog.js'
import { fixture, lives, until } from '../support/upstreams.js'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-watchdog-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function gateway(serverArgs: readonly string[], env: Record<string, string> = {}) {
  const pidFile = join(folder, 'pids')
  const args = [fixture('doomed-gateway'), process.execPath, fixture('wayward-server'), '--pid-file', pidFile, ...serverArgs]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  const opened = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
  return { child, opened, pids: () => readPids(pidFile) }
}

function readPids(pidFile: string): number[] {
  try {
    return JSON.parse(readFileSync(pidFile, 'utf8')) as number[]
  } catch {
    return []
  }
}

function watchdogsOf(pid: number): string[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return table.filter((line) => line.includes('sluice-watchdog') && line.trim().split(/\s+/)[1] === String(pid))
}

it.each(['plain', 'setsid'])(
  'ends a stubborn server and its grandchild (%s) when the gateway is killed',
  async (grandchild) => {
    const { child, opened, pids } = gateway(['--stubborn', '--grandchild', grandchild])
    await opened
    await until(() => pids().length === 2)
    const family = pids()
    const [watchdog] = watchdogsOf(child.pid ?? 0)
    expect(watchdog).toBeDefined()
    child.kill('SIGKILL')
    await until(() => !family.some(lives))
    await until(() => !lives(Number(watchdog?.trim().split(/\s+/)[0])))
  },
)

it('lets the gateway end, and ends with it', async () => {
  const { child } = gateway([], { CLOSE: '1' })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  expect(code).toBe(0)
})

it('leaves alone a group that was forgotten', async () => {
  const watchdog = createWatchdog(silentLogger)
  const [kept, ended] = [spawn('sleep', ['60'], { detached: true }), spawn('sleep', ['60'], { detached: true })]
  watchdog.watch(kept.pid ?? 0)
  watchdog.watch(ended.pid ?? 0)
  watchdog.forget(kept.pid ?? 0)
  const gone = new Promise((resolve) => ended.once('exit', (_, signal) => resolve(signal)))
  watchdog.stop()
  expect(await gone).toBe('SIGTERM')
  expect(kept.exitCode).toBeNull()
  expect(kept.signalCode).toBeNull()
  kept.kill('SIGKILL')
})
