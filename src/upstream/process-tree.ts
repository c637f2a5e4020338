/** Ends a child process with everything it has started: asks by closing its stdin, then TERM, then KILL, all within 4 s. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { familyOf, isAlive, type ProcessEntry, processTable } from './process-table.js'

interface EndLimits {
  /** How long the family may take to end by itself once stdin is closed, in ms [1000]. */
  readonly voluntaryMs?: number
  /** How long it may take after TERM, in ms [1500]. */
  readonly termMs?: number
}

const KILL_MS = 500
const POLL_MS = 20

/**
 * Ends `child`, which must lead a process group of its own (`detached`), and its descendants, those that left the group with setsid
 * included. The family is listed before anything is closed, since who is orphaned by setsid cannot be found afterwards. Resolves
 * when all are gone, or after KILL was sent; calling it again does no harm.
 */
export async function endProcessTree(child: ChildProcess, limits: EndLimits = {}): Promise<void> {
  if (child.pid === undefined) return
  if (process.platform === 'win32') return endOnWindows(child, child.pid, limits)
  const root = child.pid
  let family = await familyNow(root, new Map())
  child.stdin?.end()
  const steps = [
    { waitMs: limits.voluntaryMs ?? 1000, signal: 'SIGTERM' },
    { waitMs: limits.termMs ?? 1500, signal: 'SIGKILL' },
  ] as const
  for (const step of steps) {
    await ended(family, step.waitMs)
    family = await familyNow(root, family)
    if (family.size === 0) return
    signalAll(family, step.signal)
  }
  await ended(family, KILL_MS)
}

// --- internal ---

async function familyNow(root: number, known: ReadonlyMap<number, ProcessEntry>): Promise<Map<number, ProcessEntry>> {
  return familyOf(root, await processTable(), known)
}

async function ended(family: ReadonlyMap<number, ProcessEntry>, limitMs: number): Promise<void> {
  const endAt = performance.now() + limitMs
  const left = new Set(family.values())
  for (;;) {
    for (const entry of left) if (!isAlive(entry)) left.delete(entry)
    if (left.size === 0 || performance.now() >= endAt) return
    await sleep(POLL_MS)
  }
}

/** One by one, so that a group whose number was given to a stranger is never hit. */
function signalAll(family: ReadonlyMap<number, ProcessEntry>, signal: NodeJS.Signals): void {
  for (const entry of family.values()) {
    if (!isAlive(entry)) continue
    try {
      process.kill(entry.pid, signal)
    } catch (error) {
      // It ended just now, or it is no longer ours to end (a program that changed its user).
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ESRCH' && code !== 'EPERM') throw error
    }
  }
}

async function endOnWindows(child: ChildProcess, pid: number, limits: EndLimits): Promise<void> {
  child.stdin?.end()
  const endAt = performance.now() + (limits.voluntaryMs ?? 1000)
  while (child.exitCode === null && child.signalCode === null && performance.now() < endAt) await sleep(POLL_MS)
  if (child.exitCode !== null || child.signalCode !== null) return
  await new Promise<void>((resolve) => {
    const taskkill = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
    taskkill.once('error', () => resolve())
    taskkill.once('close', () => resolve())
  })
}
