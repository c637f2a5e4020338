/** The processes of this machine, as far as ending a family of them needs. POSIX only. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** When it started, in whatever unit the system has; two processes of one pid differ in it. */
  readonly started: string
}

/** All living processes by pid; zombies are left out. Read after the call, once for all who ask in one turn of the event loop. */
export function processTable(): Promise<ReadonlyMap<number, ProcessEntry>> {
  nextReading ??= nextTurn().then(() => {
    nextReading = undefined
    return readTable()
  })
  return nextReading
}

/** Whether the very process of this entry still lives. Off Linux the pid alone must do. */
export function isAlive(entry: ProcessEntry): boolean {
  if (process.platform === 'linux') return readStat(entry.pid)?.started === entry.started
  try {
    process.kill(entry.pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * The processes of `known`, of the group or session `root`, and all their descendants. A member of `known` whose parent has died is
 * found by itself, so nothing that was seen once is lost.
 */
export function familyOf(
  root: number,
  table: ReadonlyMap<number, ProcessEntry>,
  known: ReadonlyMap<number, ProcessEntry> = new Map(),
): Map<number, ProcessEntry> {
  const family = new Map<number, ProcessEntry>()
  const children = byParent(table)
  const add = (entry: ProcessEntry) => {
    if (family.has(entry.pid) || entry.pid === process.pid) return
    family.set(entry.pid, entry)
    for (const child of children.get(entry.pid) ?? []) add(child)
  }
  for (const entry of table.values()) {
    const seen = known.get(entry.pid)?.started === entry.started
    if (seen || entry.group === root || entry.session === root) add(entry)
  }
  return family
}

// --- internal ---

/** A session with forty servers ends forty families at once, and a reading takes milliseconds. Nothing is kept once it begins. */
let nextReading: Promise<ReadonlyMap<number, ProcessEntry>> | undefined

async function readTable(): Promise<ReadonlyMap<number, ProcessEntry>> {
  const entries = process.platform === 'linux' ? fromProc() : await fromPs()
  return new Map(entries.map((entry) => [entry.pid, entry]))
}

function byParent(table: ReadonlyMap<number, ProcessEntry>): Map<number, ProcessEntry[]> {
  const children = new Map<number, ProcessEntry[]>()
  for (const entry of table.values()) {
    const siblings = children.get(entry.parent)
    if (siblings) siblings.push(entry)
    else children.set(entry.parent, [entry])
  }
  return children
}

function fromProc(): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []))
}

/** `pid (comm) state ppid pgrp session …`, the start time 22nd (proc(5)); comm may hold spaces and brackets. */
function readStat(pid: number): ProcessEntry | undefined {
  let line: string
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  if (state === 'Z' || state === 'X') return undefined
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), started: fields[19] ?? '' }
}

async function fromPs(): Promise<ProcessEntry[]> {
  const text = await new Promise<string>((resolve) => {
    execFile('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], { maxBuffer: 16 << 20 }, (error, stdout) => {
      resolve(error ? '' : stdout)
    })
  })
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, started] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line) ?? []
    if (!pid || state?.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(group), started: started ?? '' }]
  })
}
