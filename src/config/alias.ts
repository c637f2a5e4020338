/** The aliases of servers: given ones first, then legal names, then what is made of illegal, long and taken names. */
import { createHash } from 'node:crypto'
import { aliasName } from './values.js'

export interface AliasClaim {
  readonly name: string
  /** As given in the entry, and legal. */
  readonly alias: string | undefined
}

export interface Aliases {
  /** By server name; a server whose given alias is taken has none. */
  readonly byName: ReadonlyMap<string, string>
  /** Servers whose given alias is taken, with the server that has it. */
  readonly taken: ReadonlyMap<string, string>
}

/** Unique aliases of at most 32 characters; the same claims give the same aliases on every start. */
export function assignAliases(claims: readonly AliasClaim[]): Aliases {
  const owners = new Map<string, string>()
  const byName = new Map<string, string>()
  const taken = new Map<string, string>()
  const give = (alias: string, name: string) => {
    owners.set(alias, name)
    byName.set(name, alias)
  }
  for (const { name, alias } of claims) {
    const wanted = alias ?? aliasName.parse(name)
    const owner = wanted === undefined ? undefined : owners.get(wanted)
    if (wanted !== undefined && owner === undefined) give(wanted, name)
    else if (alias !== undefined && owner !== undefined) taken.set(name, owner)
  }
  for (const { name } of claims) {
    if (!byName.has(name) && !taken.has(name)) give(deriveAlias(name, owners), name)
  }
  return { byName, taken }
}

// --- internal ---

const MAX_LENGTH = 32
const HASH_LENGTH = 6

function deriveAlias(name: string, owners: ReadonlyMap<string, string>): string {
  const readable = name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^[-_]+|[-_]+$/g, '')
  if (readable !== '' && readable.length <= MAX_LENGTH && !owners.has(readable)) return readable
  const stem = readable.slice(0, MAX_LENGTH - HASH_LENGTH - 1) || 'server'
  for (let round = 0; ; round++) {
    const alias = `${stem}-${hashOf(round === 0 ? name : `${name}\0${round}`)}`
    if (!owners.has(alias)) return alias
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH)
}
