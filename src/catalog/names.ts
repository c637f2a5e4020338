/** Exposed names (tools, prompts) and what they stand for: legal for every client, unique, the same on every start. */
import { createHash } from 'node:crypto'
import { areNear, byNearness } from '../base/nearest.js'

export type NamingStyle = 'prefixed' | 'bare'

export interface NameOwner {
  readonly alias: string
  /** The upstream's own name. */
  readonly name: string
}

interface NameTableOptions {
  readonly naming: NamingStyle
  /** All aliases of the configuration, whether their servers are there yet or not. */
  readonly aliases: readonly string[]
  /** Names of the gateway's own tools. */
  readonly reserved: readonly string[]
}

/** Clients put their own prefix in front and LLM APIs cap the sum at 64. */
export const MAX_NAME = 50
export const NAME_SEPARATOR = '__'

const LEGAL = /^[A-Za-z0-9_-]{1,50}$/
const HASH_CHARS = 8

/** Both directions of one kind of name in one session. A name once given stays: later lists cannot take it over. */
export class NameTable {
  readonly #options: NameTableOptions
  readonly #owners = new Map<string, NameOwner>()
  readonly #exposed = new Map<string, string>()

  constructor(options: NameTableOptions) {
    this.#options = options
  }

  /** The exposed name of an upstream's name; given at the first ask. */
  expose(alias: string, name: string): string {
    const key = ownerKey(alias, name)
    const known = this.#exposed.get(key)
    if (known !== undefined) return known
    const exposed = this.#choose(alias, name)
    this.#exposed.set(key, exposed)
    this.#owners.set(exposed, { alias, name })
    return exposed
  }

  /** Who is called by an exposed name, if it was given out. */
  resolve(exposed: string): NameOwner | undefined {
    return this.#owners.get(exposed)
  }

  /** All exposed names given out. */
  names(): Iterable<string> {
    return this.#owners.keys()
  }

  #choose(alias: string, name: string): string {
    const { naming, aliases } = this.#options
    if (naming === 'bare') {
      const bare = bareName(name)
      if (this.#isFree(bare)) return bare
    }
    const plain = composeName(alias, name, aliases)
    for (let salt = 0; ; salt++) {
      const candidate = salt === 0 ? plain : hashed(plain, `${ownerKey(alias, name)}\0${salt}`)
      if (this.#isFree(candidate)) return candidate
    }
  }

  #isFree(candidate: string): boolean {
    return !this.#owners.has(candidate) && !this.#options.reserved.includes(candidate)
  }
}

/**
 * `alias__name`, legal and at most 50 characters. It gets a hash suffix where it is too long or illegal, and where another alias
 * is a longer prefix of it (`a` + `b__c` beside a server called `a__b`): so two owners never compose to the same name, in
 * whatever order they land.
 */
export function composeName(alias: string, name: string, aliases: readonly string[]): string {
  const plain = `${alias}${NAME_SEPARATOR}${name}`
  const claimed = aliases.some((other) => other.length > alias.length && plain.startsWith(`${other}${NAME_SEPARATOR}`))
  return LEGAL.test(plain) && !claimed ? plain : hashed(plain, ownerKey(alias, name))
}

/** An upstream's own name, with a hash suffix where it is too long or illegal. */
export function bareName(name: string): string {
  return LEGAL.test(name) ? name : hashed(name, ownerKey('', name))
}

/** The known exposed name that was most likely meant: near in both its parts, the server's alias and the upstream's own name. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = partsOf(name)
  const near = [...known].filter((candidate) => {
    const { alias, own } = partsOf(candidate)
    return areNear(wanted.own, own) && (wanted.alias === '' || alias === '' || areNear(wanted.alias, alias))
  })
  return byNearness(name, near)[0]
}

/** The alias in front of an exposed name: the longest that fits. */
export function aliasIn(exposed: string, aliases: Iterable<string>): string | undefined {
  let best: string | undefined
  for (const alias of aliases) {
    const fits = exposed.startsWith(`${alias}${NAME_SEPARATOR}`)
    if (fits && alias.length > (best?.length ?? 0)) best = alias
  }
  return best
}

// --- internal ---

function partsOf(exposed: string): { alias: string; own: string } {
  const at = exposed.indexOf(NAME_SEPARATOR)
  return at < 0 ? { alias: '', own: exposed } : { alias: exposed.slice(0, at), own: exposed.slice(at + NAME_SEPARATOR.length) }
}

function ownerKey(alias: string, name: string): string {
  return `${alias}\0${name}`
}

function hashed(text: string, key: string): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, HASH_CHARS)
  const head = text.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, MAX_NAME - HASH_CHARS - 1)
  return `${head}_${hash}`
}
