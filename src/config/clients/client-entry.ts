/** A client's entry as one of ours: what clients write in ways of their own is put into our keys. */
import { FOREIGN_KEYS } from '../entry-options.js'
import { isRecord } from '../option-schema.js'
import { parseServerEntry } from '../server-entry.js'

export interface TakenEntry {
  /** The entry in our keys; undefined where Sluice cannot run it. */
  readonly entry: Readonly<Record<string, unknown>> | undefined
  /** Why not. Shows no value of a secret field. */
  readonly reason?: string
}

/** Reads an entry as its client means it. Variables need not be set now: the gateway may be started with others. */
export function takeEntry(name: string, written: unknown): TakenEntry {
  if (!isRecord(written)) return { entry: undefined, reason: 'it is no object' }
  if (written['source'] === 'extension' || isSettingsOnly(written)) {
    return { entry: undefined, reason: 'an extension of the client brings it' }
  }
  if (written['envFile'] !== undefined) return { entry: undefined, reason: 'it has an envFile, which Sluice does not read' }
  const entry = inOwnKeys(written)
  const lookup = (variable: string) => (CLIENT_VARIABLES.test(variable) ? undefined : 'set')
  const { faults } = parseServerEntry(name, { ...entry, disabled: undefined }, { lookup, connectTimeoutMs: 1 })
  return faults.length === 0 ? { entry } : { entry: undefined, reason: faults.join('; ') }
}

// --- internal ---

/** What editors put in themselves. */
const CLIENT_VARIABLES =
  /^(?:workspaceFolder|workspaceFolderBasename|workspaceRoot|userHome|pathSeparator|cwd|file\w*|extensionPath|__dirname)$/

function isSettingsOnly(entry: Readonly<Record<string, unknown>>): boolean {
  const { command, url, serverUrl, httpUrl, settings } = entry
  return settings !== undefined && [command, url, serverUrl, httpUrl].every((value) => value === undefined)
}

/** Renamings from client to ours; ours wins where both are there. */
const RENAMED = {
  includeTools: 'include',
  enabled_tools: 'include',
  enabledTools: 'include',
  excludeTools: 'exclude',
  disabled_tools: 'exclude',
  disabledTools: 'exclude',
  http_headers: 'headers',
} as const

function inOwnKeys(written: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entry: Record<string, unknown> = {}
  for (const [key, value] of Object.entries({ ...written, ...nestedCommand(written) })) {
    const own = Object.hasOwn(RENAMED, key) ? RENAMED[key as keyof typeof RENAMED] : key
    if (own !== key ? written[own] === undefined : !isPassedOver(key)) entry[own] = value
  }
  return { ...entry, ...codexAdditions(written, entry) }
}

function isPassedOver(key: string): boolean {
  return FOREIGN_KEYS.has(key) || CODEX_KEYS.has(key)
}

const CODEX_KEYS: ReadonlySet<string> = new Set(['bearer_token_env_var', 'env_http_headers', 'env_vars', 'required'])

/** Zed once wrote `command: { path, args, env }`. */
function nestedCommand({ command }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!isRecord(command)) return {}
  const { path, args, env } = command
  return { command: path, ...(args !== undefined && { args }), ...(isRecord(env) && { env }) }
}

/** Codex names variables where others refer to them, and counts in seconds. */
function codexAdditions(written: Readonly<Record<string, unknown>>, entry: Readonly<Record<string, unknown>>) {
  const { bearer_token_env_var: bearer, env_http_headers: fromEnv, env_vars: passed } = written
  const headers = {
    ...(isRecord(entry['headers']) && entry['headers']),
    ...(isRecord(fromEnv) && Object.fromEntries(Object.entries(fromEnv).map(([key, name]) => [key, reference(name)]))),
    ...(typeof bearer === 'string' && { Authorization: `Bearer ${reference(bearer)}` }),
  }
  const names = Array.isArray(passed) ? passed.filter((name) => typeof name === 'string') : []
  const env = {
    ...Object.fromEntries(names.map((name) => [name, reference(name)])),
    ...(isRecord(entry['env']) && entry['env']),
  }
  const seconds = written['startup_timeout_sec']
  return {
    ...((entry['headers'] !== undefined || Object.keys(headers).length > 0) && { headers: asGiven(entry['headers'], headers) }),
    ...((entry['env'] !== undefined || names.length > 0) && { env: asGiven(entry['env'], env) }),
    ...(typeof seconds === 'number' && seconds > 0 && { connectTimeout: Math.round(seconds * 1000) }),
  }
}

/** What is no map stays as it is, for the check to report. */
function asGiven(given: unknown, made: Record<string, unknown>): unknown {
  return given === undefined || isRecord(given) ? made : given
}

function reference(name: unknown): string {
  return `\${${String(name)}}`
}
