/** Puts Sluice in the place of a client's servers: a plan that changes nothing, and carrying it out. */
import { isDeepStrictEqual } from 'node:util'
import { serverEntries } from '../build-config.js'
import { parseDocument } from '../document.js'
import type { Environment } from '../environment.js'
import { readIfThere } from '../read-file.js'
import { copyBeside, replaceFile } from '../replace-file.js'
import { userFile } from '../user-file.js'
import type { Client, ClientFile, Launch } from './client.js'
import { takeEntry } from './client-entry.js'
import { editClientFile } from './edit-client-file.js'
import { type FoundServer, type MergedServer, mergeServers } from './merge-servers.js'
import { isSluice } from './own-entry.js'
import { parseClientFile, type ReadClientFile, readClientFile } from './read-client-file.js'
import { contentHash, readWirings, type Wiring, type WiringStep, writeWiring } from './wiring-record.js'

export interface WiringOptions {
  readonly environment: Environment
  /** How the client is to start Sluice. */
  readonly launch: Launch
  /** Leave the client's servers where they are. */
  readonly keep: boolean
}

export interface WiringPlan {
  readonly file: ClientFile
  /** `none`: all is as it should be. */
  readonly change: 'none' | 'created' | 'written'
  /** Names of the servers that go to Sluice. */
  readonly moved: readonly string[]
  /** Servers that stay with the client because Sluice cannot run them. */
  readonly left: readonly { readonly name: string; readonly reason: string }[]
  /** New in Sluice's own file; of those moved, the ones that it does not have yet. */
  readonly added: readonly MergedServer[]
  readonly entry: string
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array
}

/** @throws CONFIG_MISSING, CONFIG_SYNTAX, CONFIG_INVALID for a file, the client's or our own, that cannot be read or edited */
export function planWiring(client: Client, { environment, launch, keep }: WiringOptions): WiringPlan {
  const [file] = client.files(environment)
  const there = readClientFile(file)
  const read = there ?? parseClientFile(file, new Uint8Array())
  const { found, left, own } = sorted(client, read)
  const wanted = client.entryOf(launch)
  const names = found.map(({ name }) => name)
  const isWired = own.length === 1 && isDeepStrictEqual({ ...(read.entries.get(own[0] ?? '') as object) }, wanted)
  const staying = new Set([...left.map(({ name }) => name), ...(keep ? names : [])])
  const entry = isWired ? (own[0] ?? ENTRY) : freeName(staying)
  const after = editClientFile(read, {
    remove: [...(keep ? [] : names), ...(isWired ? [] : own)],
    add: isWired ? [] : [{ name: entry, value: wanted }],
  })
  const change = there === undefined ? 'created' : after === there.bytes ? 'none' : 'written'
  const added = mergeServers(ownServers(environment), found)
  return { file, change, moved: names, left, added, entry, before: there?.bytes, after }
}

/**
 * Sluice's own file first, then the backup, the record and the client's file, so that whatever happens no server is lost.
 * @returns the backup's path; undefined where the client's file was not changed or is new
 * @throws FILE_BUSY, FILE_WRITE
 */
export function carryOut(
  plan: WiringPlan,
  environment: Environment,
  options: { keep: boolean; now: Date },
): string | undefined {
  const { file, before, after, change, entry } = plan
  keepServers(plan.added, environment)
  if (change === 'none') return undefined
  const known = readWirings(environment.dataDir).get(file.path)
  const moved = options.keep ? [] : plan.moved
  // What we wrote ourselves needs no second backup: the first one is what goes back.
  const isOwn = known !== undefined && before !== undefined && known.written === contentHash(before)
  const backup = before === undefined || isOwn ? undefined : `${file.path}.sluice-${stamp(options.now)}.bak`
  if (backup !== undefined && before !== undefined) copyBeside(file.path, backup, before)
  const steps = stepsAfter(before === undefined ? [] : (known?.steps ?? []), { backup, moved }, isOwn)
  const wiring: Wiring = { written: contentHash(after), entry, steps }
  writeWiring(environment.dataDir, file.path, wiring)
  replaceFile(file.path, before, after)
  return backup
}

// --- internal ---

const ENTRY = 'sluice'

interface Sorted {
  readonly found: readonly FoundServer[]
  readonly left: WiringPlan['left']
  /** Names of entries that are Sluice. */
  readonly own: readonly string[]
}

function sorted(client: Client, { entries }: ReadClientFile): Sorted {
  const own = [...entries].flatMap(([name, written]) => (isSluice(written) ? [name] : []))
  const taken = [...entries]
    .filter(([name]) => !own.includes(name))
    .map(([name, written]) => ({ name, ...takeEntry(name, written) }))
  return {
    own,
    found: taken.flatMap(({ name, entry }) => (entry === undefined ? [] : [{ name, entry, client: client.name }])),
    left: taken.flatMap(({ name, entry, reason = '' }) => (entry === undefined ? [{ name, reason }] : [])),
  }
}

function stepsAfter(earlier: readonly WiringStep[], step: WiringStep, isOwn: boolean): readonly WiringStep[] {
  const last = earlier.at(-1)
  if (!isOwn || last === undefined) return [...earlier, step]
  return [...earlier.slice(0, -1), { ...last, moved: [...last.moved, ...step.moved] }]
}

function freeName(taken: ReadonlySet<string>): string {
  return [ENTRY, 'mcp-sluice'].find((name) => !taken.has(name)) ?? `${ENTRY}-gateway`
}

function ownServers(environment: Environment): ReadonlyMap<string, unknown> {
  const file = userFile(environment)
  const bytes = readIfThere(file)
  return bytes === undefined ? new Map() : serverEntries(parseDocument(file, bytes)).entries
}

/** Under `mcpServers`, or `servers` where the file has only that. */
function keepServers(added: readonly MergedServer[], environment: Environment): void {
  if (added.length === 0) return
  const file = userFile(environment)
  const bytes = readIfThere(file)
  const { value } = bytes === undefined ? { value: {} } : parseDocument(file, bytes)
  const list = Object.hasOwn(value, 'servers') && !Object.hasOwn(value, 'mcpServers') ? 'servers' : 'mcpServers'
  const read = parseClientFile({ path: file, format: 'json', list: [list], scope: 'user' }, bytes ?? new Uint8Array())
  const add = added.map(({ name, entry }) => ({ name, value: entry }))
  replaceFile(file, bytes, editClientFile(read, { remove: [], add }))
}

/** `2026-12-01T02-55-40-123Z`: no file system minds it. */
function stamp(now: Date): string {
  return now.toISOString().replace(/[:.]/g, '-')
}
