/** One server's entry, in phases: known keys, variables, shape, meaning. A fault disables this server and touches no other. */
import { nearest } from '../base/nearest.js'
import type { DietConfig, ServerConfig, Wire } from './config.js'
import { type EntryOptions, entrySchema, FOREIGN_KEYS } from './entry-options.js'
import { expandStrings, type Lookup } from './expand.js'
import { type Finding, findingsOf, isRecord, renderPath, unknownKeys, valueAt } from './option-schema.js'
import { PLAIN_VARIABLES, secretsOf } from './secrets.js'
import { flag, showFound } from './values.js'

/** A server without its place among the others: the alias is as given, or undefined. */
export type ParsedServer = Omit<ServerConfig, 'alias'> & { readonly alias: string | undefined }

export interface ParsedEntry {
  /** Undefined where the entry has a fault or is switched off. */
  readonly server: ParsedServer | undefined
  /** `url: "ftp://x" is no http(s) URL`; empty for a usable entry and for one that is switched off. */
  readonly faults: readonly string[]
  readonly notes: readonly string[]
  /** Values that must not be printed. */
  readonly secrets: readonly string[]
}

export interface EntryContext {
  readonly lookup: Lookup
  /** For entries that give none. */
  readonly connectTimeoutMs: number
}

export function parseServerEntry(name: string, written: unknown, context: EntryContext): ParsedEntry {
  const named = (note: string) => `server ${JSON.stringify(name)}: ${note}`
  if (!isRecord(written)) {
    return outcome({ faults: [{ path: [], message: `must be an object, found ${showFound(written, true)}` }] })
  }
  if (isOff(written)) return outcome({ notes: [named('switched off')] })
  const { entry, notes } = knownFields(written)
  const expansion = expandStrings(entry, context.lookup)
  const secrets = [...secretsOf(expansion.value), ...variableSecrets(expansion.used)]
  const parsed = entrySchema.safeParse(expansion.value)
  if (!parsed.success || expansion.faults.length > 0) {
    const unset = new Set(expansion.faults.map(({ path }) => renderPath(path)))
    const shape = parsed.success ? [] : findingsOf(parsed.error, entry, isSecret)
    const faults = [...expansion.faults, ...shape.filter(({ path }) => !unset.has(renderPath(path)))]
    return outcome({ faults, secrets, notes: notes.map(named) })
  }
  const faults = meaningFaults(parsed.data, entry)
  const wire = faults.length === 0 ? wireOf(parsed.data) : undefined
  const said = [...notes, ...idleNotes(parsed.data)].map(named)
  if (wire === undefined) return outcome({ faults, secrets, notes: said })
  return outcome({ server: serverOf(name, parsed.data, wire, context), secrets, notes: said })
}

// --- internal ---

interface Outcome {
  readonly server?: ParsedServer
  readonly faults?: readonly Finding[]
  readonly notes?: readonly string[]
  readonly secrets?: readonly string[]
}

function outcome({ server, faults = [], notes = [], secrets = [] }: Outcome): ParsedEntry {
  const said = faults.map(({ path, message }) => (path.length === 0 ? message : `${renderPath(path)}: ${message}`))
  return { server, faults: said, notes, secrets }
}

/** `enabled: false` is how some clients write it. */
function isOff(entry: Record<string, unknown>): boolean {
  return flag.parse(entry['disabled']) === true || flag.parse(entry['enabled']) === false
}

/** Fields whose values are not shown in messages. */
function isSecret(path: readonly PropertyKey[]): boolean {
  if (path[0] === 'oauth') return path[1] === 'clientSecret'
  return path[0] === 'env' || path[0] === 'headers' || path[0] === 'args' || path[0] === 'url'
}

function variableSecrets(used: ReadonlyMap<string, string>): string[] {
  return [...used].flatMap(([name, value]) => (PLAIN_VARIABLES.has(name) ? [] : [value]))
}

interface KnownFields {
  readonly entry: Record<string, unknown>
  readonly notes: readonly string[]
}

/** The entry in our keys, and a note on each key that is passed over. */
function knownFields(written: Record<string, unknown>): KnownFields {
  const notes: string[] = []
  const { serverUrl, httpUrl, enabled: _, ...rest } = written
  const entry: Record<string, unknown> = { ...rest }
  if (entry['url'] === undefined && serverUrl !== undefined) entry['url'] = serverUrl
  if (httpUrl !== undefined) {
    entry['url'] = httpUrl
    entry['type'] ??= 'http'
  }
  for (const name of ['env', 'headers']) {
    const { values, coerced } = coerceMap(entry[name])
    entry[name] = values
    if (coerced.length > 0) notes.push(`${name}: taken as text: ${coerced.join(', ')}`)
  }
  const oauth = entry['oauth']
  if (oauth !== undefined && !isRecord(oauth)) notes.push('passed over: oauth')
  entry['oauth'] = isRecord(oauth) ? withListedScopes(oauth) : undefined
  for (const name of ['include', 'exclude']) if (typeof entry[name] === 'string') entry[name] = [entry[name]]
  const unknown = unknownKeys(entrySchema, entry)
  const [foreign, misspelt] = [unknown.filter(isForeign), unknown.filter((finding) => !isForeign(finding))]
  if (foreign.length > 0) notes.push(`passed over: ${foreign.map(({ path }) => renderPath(path)).join(', ')}`)
  notes.push(...misspelt.map(({ path, message }) => (path.length > 1 ? `${renderPath(path)}: ${message}` : message)))
  return { entry: withoutUndefined(entry), notes }
}

/** A key of another client's, or one that resembles none of ours. */
function isForeign({ path }: Finding): boolean {
  if (path.length > 1) return false
  const key = String(path[0])
  return FOREIGN_KEYS.has(key) || nearest(key, Object.keys(entrySchema.shape)) === undefined
}

function coerceMap(map: unknown): { values: unknown; coerced: string[] } {
  if (!isRecord(map)) return { values: map, coerced: [] }
  const isPlain = (value: unknown) => typeof value === 'number' || typeof value === 'boolean'
  const values = Object.fromEntries(Object.entries(map).map(([key, value]) => [key, isPlain(value) ? String(value) : value]))
  return { values, coerced: Object.keys(map).filter((key) => isPlain(map[key])) }
}

/** OAuth itself writes them with blanks between. */
function withListedScopes(oauth: Record<string, unknown>): Record<string, unknown> {
  const { scopes } = oauth
  return typeof scopes === 'string' ? { ...oauth, scopes: scopes.split(/\s+/).filter(Boolean) } : oauth
}

function withoutUndefined(entry: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined))
}

/** What no schema of one field can see. Found values are shown as written, with variables unexpanded. */
function meaningFaults(entry: EntryOptions, written: unknown): Finding[] {
  const faults: Finding[] = []
  const fault = (path: PropertyKey[], message: string) => faults.push({ path, message })
  const { command, url, type, oauth } = entry
  if (command === undefined && url === undefined) fault([], 'has neither command nor url; give one of them')
  else if (command !== undefined && url !== undefined) fault([], 'has both command and url; keep one of them')
  else if (type === 'stdio' && url !== undefined) fault(['type'], 'is "stdio", but the entry has a url; leave type out')
  else if (type !== undefined && type !== 'stdio' && command !== undefined) {
    fault(['type'], `is ${JSON.stringify(type)}, but the entry has a command; leave type out, or give a url`)
  }
  if (oauth?.clientSecret !== undefined && oauth.clientId === undefined) {
    fault(['oauth', 'clientSecret'], 'is of no use without a clientId')
  }
  if (url !== undefined && !isHttpUrl(url)) {
    fault(['url'], urlFault(String(valueAt(written, ['url']))))
  }
  for (const key of Object.keys(entry.env ?? {})) {
    if (key === '' || /[=\0]/.test(key)) fault(['env', key], 'is no name of a variable')
  }
  for (const [key, value] of Object.entries(entry.headers ?? {})) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(key)) fault(['headers', key], 'is no name of a header')
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value.trim()))
      fault(['headers', key], 'has a line break or another character that no header can have')
  }
  return faults
}

function isHttpUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}

/** An address without what may be secret in it. */
function showUrl(url: string): string {
  return showFound(url.replace(/\/\/[^/]*@/, '//***@').replace(/[?#].*$/s, '?…'))
}

function wireOf(entry: EntryOptions): Wire | undefined {
  if (entry.command !== undefined) {
    const { command, args = [], env = {}, cwd, inheritEnv = false } = entry
    return { kind: 'stdio', command, args, env, cwd, inheritEnv }
  }
  if (entry.url === undefined) return undefined
  const kind = entry.type === undefined ? 'auto' : entry.type === 'sse' ? 'sse' : 'http'
  const headers = Object.fromEntries(Object.entries(entry.headers ?? {}).map(([key, value]) => [key, value.trim()]))
  const { clientId, clientSecret, scopes = [] } = entry.oauth ?? {}
  return { kind, url: entry.url, headers, ...(entry.oauth && { oauth: { clientId, clientSecret, scopes } }) }
}

function serverOf(name: string, entry: EntryOptions, wire: Wire, context: EntryContext): ParsedServer {
  return {
    name,
    alias: entry.alias,
    description: entry.description,
    wire,
    include: entry.include ?? [],
    exclude: entry.exclude ?? [],
    responseThreshold: entry.responseThreshold ?? [],
    diet: dietOf(entry),
    instances: entry.instances ?? 'session',
    connectTimeoutMs: entry.connectTimeout ?? context.connectTimeoutMs,
    callTimeoutMs: entry.callTimeout,
    idleTimeoutMs: entry.idleTimeout,
  }
}

function dietOf({ output = {}, images = {} }: EntryOptions): DietConfig | undefined {
  const { minify = false, maxChars } = output
  const { scale, format, quality } = images
  const hasImages = scale !== undefined || format !== undefined || quality !== undefined
  if (!minify && maxChars === undefined && !hasImages) return undefined
  return { minify, maxChars, images: hasImages ? { scale, format, quality } : undefined }
}

/** Fields that do nothing for this kind of server. */
function idleNotes(entry: EntryOptions): string[] {
  const other = entry.command === undefined ? (['args', 'env', 'cwd', 'inheritEnv'] as const) : (['headers', 'oauth'] as const)
  const stray = other.filter((key) => entry[key] !== undefined && !isEmpty(entry[key]))
  return stray.map((key) => `${JSON.stringify(key)} has no effect with ${entry.command === undefined ? 'a url' : 'a command'}`)
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** What cannot be read as a URL may hold a secret anywhere, so it is not shown. */
function urlFault(written: string): string {
  if (URL.canParse(written)) return `${showUrl(written)} is no http(s) URL; it must begin with http:// or https://`
  return /^https?:\/\//i.test(written)
    ? 'cannot be read as a URL; check its host and port'
    : 'is no URL; it must begin with http:// or https://'
}
