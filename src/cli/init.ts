/** `sluice init`: shows the servers of all clients, puts Sluice in their place, and undoes that. */
import { asSluiceError, SluiceError } from '../base/errors.js'
import type { Client, Launch } from '../config/clients/client.js'
import { takeEntry } from '../config/clients/client-entry.js'
import { CLIENTS, clientNamed } from '../config/clients/clients.js'
import { type Discovery, discover } from '../config/clients/discover.js'
import { isSluice } from '../config/clients/own-entry.js'
import { type ReadClientFile, readClientFile } from '../config/clients/read-client-file.js'
import { unwire } from '../config/clients/unwire-client.js'
import { carryOut, planWiring, type WiringOptions } from '../config/clients/wire-client.js'
import type { Environment } from '../config/environment.js'
import { renderPath } from '../config/option-schema.js'
import { userFile } from '../config/user-file.js'
import type { FlagValues } from './commands.js'
import { describeEntry } from './describe-entry.js'
import { type ClientReport, type InitReport, renderInit } from './init-report.js'

export type InitFlags = Readonly<Partial<Pick<FlagValues, 'client' | 'yes' | 'keep' | 'undo' | 'json'>>>

export interface InitContext {
  readonly environment: Environment
  /** Starts Sluice with its own file. */
  readonly launch: Launch
  readonly write: (text: string) => void
  /** Lets a person choose among these clients; undefined where nobody can be asked, or the person gave up. */
  readonly choose?: (found: readonly ClientReport[]) => Promise<readonly string[] | undefined>
  readonly now?: Date
}

/**
 * The exit code: 0; 1 where a file has a fault, or nothing was found to write to.
 * @throws USAGE for an unknown client; for a client that was named, what is wrong with its file
 */
export async function init(flags: InitFlags, context: InitContext): Promise<number> {
  const only = flags.client === undefined ? undefined : clientNamed(flags.client)
  if (flags.undo && (flags.yes || flags.keep)) throw new SluiceError('USAGE', '--undo goes with neither --yes nor --keep')
  const report = flags.undo ? undoReport(only, context) : await initReportOf(only, flags, context)
  context.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : renderInit(report))
  const isWell = report.clients.every(({ fault }) => fault === null)
  const hasNothing = flags.yes === true && report.clients.every(({ state }) => state === 'absent')
  return isWell && !hasNothing ? 0 : 1
}

// --- internal ---

async function initReportOf(only: Client | undefined, flags: InitFlags, context: InitContext): Promise<InitReport> {
  const { environment } = context
  const config = userFile(environment)
  const clients = only === undefined ? CLIENTS : [only]
  const found = clients.map((client) => survey(client, environment, only !== undefined))
  const candidates = found.filter(({ state }) => only !== undefined || state === 'found' || state === 'wired')
  const chosen = await choiceOf(candidates, flags, context)
  const options = { environment, launch: context.launch, keep: flags.keep ?? false }
  const reports = found.map((report) => {
    if (!candidates.includes(report))
      return chosen.size > 0 && report.fault !== null ? { ...report, change: 'refused' as const } : report
    const isNamed = only !== undefined
    return attempt(report, isNamed, () =>
      wire(clientNamed(report.client), report, { ...options, context, write: chosen.has(report.client) }),
    )
  })
  const notes = notesOf(discover(environment), only, reports)
  return { action: chosen.size > 0 ? 'init' : 'show', config, clients: reports, notes }
}

async function choiceOf(
  candidates: readonly ClientReport[],
  flags: InitFlags,
  { choose }: InitContext,
): Promise<ReadonlySet<string>> {
  if (flags.yes) return new Set(candidates.map(({ client }) => client))
  if (choose === undefined || flags.json || candidates.length === 0) return new Set()
  return new Set(await choose(candidates))
}

function wire(
  client: Client,
  report: ClientReport,
  { context, write, ...options }: WiringOptions & { context: InitContext; write: boolean },
): ClientReport {
  const plan = planWiring(client, options)
  if (!write) return { ...report, change: plan.change === 'none' ? 'none' : 'planned', moved: [...plan.moved] }
  const backup = carryOut(plan, context.environment, { keep: options.keep, now: context.now ?? new Date() }) ?? null
  return { ...report, state: 'wired', change: plan.change, moved: [...plan.moved], backup }
}

function undoReport(only: Client | undefined, { environment }: InitContext): InitReport {
  const clients = (only === undefined ? CLIENTS : [only]).map((client) => {
    const report = blank(client, environment)
    return attempt(report, only !== undefined, () => {
      const { change, back } = unwire(client, environment)
      const isTold = only !== undefined || change !== 'none'
      return { ...report, ...(isTold && stateOf(client, environment)), change, moved: [...back] }
    })
  })
  const told = clients.filter(({ change }) => only !== undefined || change !== 'none')
  return { action: 'undo', config: userFile(environment), clients: told, notes: [] }
}

/** The fault of a file that was named ends the command; one of many is told of, and the others go on. */
function attempt(report: ClientReport, isNamed: boolean, run: () => ClientReport): ClientReport {
  try {
    return run()
  } catch (error) {
    if (isNamed) throw error
    return { ...report, change: 'refused', fault: asSluiceError(error).detail }
  }
}

function blank(client: Client, environment: Environment): ClientReport {
  const { name, title } = client
  const [{ path }] = client.files(environment)
  return { client: name, title, file: path, state: 'absent', servers: [], change: 'none', moved: [], backup: null, fault: null }
}

/** What the client's file holds, before anything is done. */
function survey(client: Client, environment: Environment, isNamed: boolean): ClientReport {
  const report = blank(client, environment)
  const seen = attempt(report, isNamed, () => ({ ...report, ...stateOf(client, environment) }))
  return seen.fault === null ? seen : { ...seen, state: 'broken', change: 'none' }
}

function stateOf(client: Client, environment: Environment): Pick<ClientReport, 'state' | 'servers'> {
  const [file] = client.files(environment)
  const read = readClientFile(file)
  if (read === undefined) return { state: 'absent', servers: [] }
  const servers = serversOf(read)
  return { state: servers.some(({ kind }) => kind === 'sluice') ? 'wired' : 'found', servers }
}

function serversOf({ entries }: ReadClientFile): ClientReport['servers'] {
  return [...entries].map(([name, written]) => {
    if (isSluice(written)) return { name, runs: describeEntry(written), kind: 'sluice', reason: null }
    const { entry, reason = null } = takeEntry(name, written)
    return { name, runs: describeEntry(entry ?? written), kind: entry === undefined ? 'left' : 'server', reason }
  })
}

/** What discovery knows besides: other places of these clients, and what the reports do not tell already. */
function notesOf({ files, notes }: Discovery, only: Client | undefined, reports: readonly ClientReport[]): string[] {
  const others = files.filter(
    ({ client, file }) => (only === undefined || client === only) && !reports.some(isOf(file.path, file.list)),
  )
  const staying = others.flatMap(({ client, file, read, trust }) => {
    if (trust !== 'trusted' || read === undefined || read.entries.size === 0) return []
    return [`${client.title} has servers in ${file.path} under ${renderPath(file.list)} as well; they stay there`]
  })
  const told = only === undefined ? notes.filter((note) => !reports.some(({ file }) => note.includes(`${file}:`))) : []
  return [...staying, ...told]
}

function isOf(path: string, list: readonly string[]): (report: ClientReport) => boolean {
  return ({ file }) => file === path && list.length === 1
}
