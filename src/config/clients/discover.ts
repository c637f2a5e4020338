/** Discovery: the servers in the files of all clients, read and never written. */
import { asSluiceError, SluiceError } from '../../base/errors.js'
import { type ConfigDocument, documentOf } from '../document.js'
import type { Environment } from '../environment.js'
import { trustOf } from '../trust.js'
import type { Client, ClientFile } from './client.js'
import { takeEntry } from './client-entry.js'
import { CLIENTS } from './clients.js'
import { type FoundServer, type MergedServer, mergeServers } from './merge-servers.js'
import { isSluice } from './own-entry.js'
import { type ReadClientFile, readClientFile } from './read-client-file.js'

export interface FoundFile {
  readonly client: Client
  readonly file: ClientFile
  /** Undefined where it has a fault. */
  readonly read: ReadClientFile | undefined
  /** What is wrong with it, with line and column. */
  readonly fault: string | undefined
  /** `project`: of this folder, and not trusted as it is now; its servers do not count. */
  readonly trust: 'trusted' | 'new' | 'changed'
}

export interface Discovery {
  /** Servers of all files, each once. */
  readonly servers: readonly MergedServer[]
  /** Files that are there, in the order of the clients. */
  readonly files: readonly FoundFile[]
  /** Faults of files, files that are not trusted, entries that cannot be run: one line each. */
  readonly notes: readonly string[]
}

/** Never throws: a file with a fault is told of, and the others go on. */
export function discover(environment: Environment): Discovery {
  const files = findFiles(environment)
  const notes = [...new Set(files.flatMap(fileNotes))]
  const found = files.flatMap(({ client, read, trust }) => {
    if (read === undefined || trust !== 'trusted') return []
    return [...read.entries].flatMap(([name, written]): FoundServer[] => {
      if (isSluice(written)) return []
      const { entry, reason } = takeEntry(name, written)
      if (entry !== undefined) return [{ name, entry, client: client.name }]
      notes.push(`${read.file.path}: server ${JSON.stringify(name)} is left out: ${reason}`)
      return []
    })
  })
  return { servers: mergeServers(new Map(), found), files, notes }
}

/**
 * What discovery found, as a configuration.
 * @throws CONFIG_NONE where that is nothing, with the faults of the files that were passed over
 */
export function discoveredDocument(environment: Environment): ConfigDocument {
  const { servers, files, notes } = discover(environment)
  if (servers.length === 0) {
    const why = notes.length === 0 ? '' : `\n  ${notes.join('\n  ')}`
    const places = `${environment.cwd}, in ${environment.configDir} or in the files of clients`
    throw new SluiceError('CONFIG_NONE', `no configuration was found in ${places}${why}`)
  }
  const used = [...new Set(files.filter(isUsed).map(({ file }) => file.path))]
  return { ...documentOf(`found in ${used.join(', ')}`, { mcpServers: entriesOf(servers) }), notes }
}

/** A document that holds settings and names no list of servers, with the servers that discovery finds. */
export function withDiscovered(document: ConfigDocument, environment: Environment): ConfigDocument {
  if (['mcpServers', 'servers', 'mcp'].some((key) => Object.hasOwn(document.value, key))) return document
  const { servers, notes } = discover(environment)
  if (servers.length === 0) return document
  const value = { ...document.value, mcpServers: entriesOf(servers) }
  return { ...document, value, notes: [...document.notes, ...notes] }
}

/** The files of this folder that clients look into, those that are there. */
export function findProjectFiles(environment: Environment): readonly FoundFile[] {
  return findFiles(environment).filter(({ file }) => file.scope === 'project')
}

// --- internal ---

function entriesOf(servers: readonly MergedServer[]): Record<string, unknown> {
  return Object.fromEntries(servers.map(({ name, entry }) => [name, entry]))
}

function isUsed({ read, trust }: FoundFile): boolean {
  return trust === 'trusted' && read !== undefined && read.entries.size > 0
}

/** In the home folder, a file of the user's may be a project's at the same time; it is the user's then. */
function findFiles(environment: Environment): FoundFile[] {
  const all = CLIENTS.flatMap((client) => client.files(environment).map((file) => ({ client, file })))
  const users = new Set(all.flatMap(({ file }) => (file.scope === 'user' ? [file.path] : [])))
  return all
    .filter(({ file }) => file.scope === 'user' || !users.has(file.path))
    .flatMap(({ client, file }) => look(client, file, environment))
}

function look(client: Client, file: ClientFile, { dataDir }: Environment): FoundFile[] {
  try {
    const read = readClientFile(file)
    if (read === undefined) return []
    const trust = file.scope === 'user' ? 'trusted' : trustOf({ path: file.path, bytes: read.bytes }, dataDir)
    return [{ client, file, read, fault: undefined, trust }]
  } catch (error) {
    return [{ client, file, read: undefined, fault: asSluiceError(error).detail, trust: 'new' }]
  }
}

function fileNotes({ file, read, fault, trust }: FoundFile): string[] {
  if (fault !== undefined) return [`passed over: ${fault}`]
  if (trust === 'trusted' || read?.entries.size === 0) return []
  const what = trust === 'new' ? 'is new here and not trusted yet' : 'has changed since it was trusted'
  return [`${file.path} would start commands and ${what}; read it, then run "sluice trust" in this folder`]
}
