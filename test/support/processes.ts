/** What runs on this machine, read from /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** Process ids of all descendants of `pid`. */
export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const { id, parent } of processes()) children.set(parent, [...(children.get(parent) ?? []), id])
  const found: number[] = []
  const queue = [pid]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const own = children.get(next) ?? []
    found.push(...own)
    queue.push(...own)
  }
  return found
}

export function isAlive(pid: number): boolean {
  const state = statOf(pid)?.[0]
  return state !== undefined && state !== 'Z'
}

/** What a process was started with, blanks between; empty if it is gone. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** Resident memory in bytes and number of threads. */
export function usageOf(pid: number): { rssBytes: number; threads: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const number = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  return { rssBytes: number('VmRSS') * 1024, threads: number('Threads') }
}

/** Resolves with true as soon as none of them lives, with false after `ms`. */
export async function allGone(pids: readonly number[], ms: number): Promise<boolean> {
  const end = performance.now() + ms
  while (pids.some(isAlive)) {
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}

// --- internal ---

function processes(): { id: number; parent: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = statOf(Number(name))
      return stat ? [{ id: Number(name), parent: Number(stat[1]) }] : []
    })
}

/** The fields after the command's name, which may hold anything; undefined if the process is gone. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
