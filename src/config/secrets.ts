/** What must never be printed: which values of an entry are secret, and taking them out of a text in every form they come in. */
import { isRecord } from './option-schema.js'

const HIDDEN = '***'
/** Shorter values are left: they hide nothing, and taking them out would make texts unreadable. */
const MIN_LENGTH = 4
/** Nobody's secret, and what the log's own lines are made of. */
const PLAIN_WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'debug', 'info', 'warn', 'error', 'silent'])

/** Takes every secret out of a text: as it is, percent-encoded, and escaped as in JSON, also twice. */
export function createRedactor(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set([...secrets].flatMap(linesOf).filter(isWorthHiding).flatMap(formsOf))
  if (forms.size === 0) return (text) => text
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  const anywhere = new RegExp(`(?=(${longestFirst.map(escapeRegex).join('|')}))`, 'g')
  return (text) => hide(text, anywhere)
}

/** The secret values of a server's entry: env, headers, credentials in its URL, flag tokens in its arguments. Takes any value. */
export function secretsOf(entry: unknown): string[] {
  if (!isRecord(entry)) return []
  const headers = stringsIn(entry['headers'])
  return [
    ...stringsIn(entry['env']),
    ...stringsIn(isRecord(entry['oauth']) ? { secret: entry['oauth']['clientSecret'] } : undefined),
    ...headers,
    // The credentials of `Bearer …` also stand alone in messages.
    ...headers.flatMap((value) => /^\S+\s+(.+)$/s.exec(value)?.[1] ?? []),
    ...[entry['url'], entry['serverUrl'], entry['httpUrl']].flatMap(urlSecrets),
    ...argumentSecrets(stringsIn(entry['args'])),
  ]
}

/** Variables whose values are no secret wherever they are used. */
export const PLAIN_VARIABLES: ReadonlySet<string> = new Set(
  'HOME USER LOGNAME PATH PWD SHELL LANG TERM TMPDIR TMP TEMP HOSTNAME USERNAME USERPROFILE APPDATA LOCALAPPDATA XDG_CONFIG_HOME XDG_DATA_HOME NODE_ENV'.split(
    ' ',
  ),
)

// --- internal ---

const SECRET_FLAG = /token|secret|passw|pwd|credential|auth|bearer|api[-_]?key|access[-_]?key|private[-_]?key|^-*(?:key|pat)$/i
const SECRET_SHAPE = /^(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AKIA|eyJ)[\w.-]{8,}$/
/** A path segment that is no word: long, of letters and digits. Hosted servers put their keys there. */
const OPAQUE_SEGMENT = /^(?=.*\d)(?=.*[A-Za-z])[\w-]{20,}$/

function isWorthHiding(value: string): boolean {
  return value.length >= MIN_LENGTH && !PLAIN_WORDS.has(value)
}

/** A text of many lines (a key file) is logged line by line. */
function linesOf(value: string): string[] {
  return value.includes('\n') ? [value, ...value.split(/\r?\n/).filter((line) => line.length >= 8)] : [value]
}

function formsOf(secret: string): string[] {
  const wellFormed = secret.toWellFormed()
  const percent = encodeURIComponent(wellFormed)
  const raw = [
    secret,
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    encodeURI(wellFormed),
    formEncoded(wellFormed),
  ]
  const once = raw.flatMap((form) => [form, jsonEscaped(form), asciiEscaped(form)])
  return [...new Set([...once, ...once.map(jsonEscaped)])]
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** As Python's json.dumps writes it. */
function asciiEscaped(text: string): string {
  return jsonEscaped(text).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Overlapping finds are hidden as one, so that no rest of a secret stays. */
function hide(text: string, anywhere: RegExp): string {
  let shown = ''
  let end = 0
  for (const match of text.matchAll(anywhere)) {
    if (match.index >= end) shown += text.slice(end, match.index) + HIDDEN
    end = Math.max(end, match.index + (match[1]?.length ?? 0))
  }
  return shown + text.slice(end)
}

function stringsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((item) =>
    typeof item === 'string' ? item : typeof item === 'number' ? String(item) : [],
  )
}

function urlSecrets(value: unknown): string[] {
  if (typeof value !== 'string') return []
  if (!URL.canParse(value)) return looseUrlSecrets(value)
  const url = new URL(value)
  const written = [url.username, url.password, ...[...value.matchAll(/[?&][^=&#]*=([^&#]*)/g)].map((match) => match[1] ?? '')]
  const segments = url.pathname.split('/').filter((segment) => OPAQUE_SEGMENT.test(segment))
  return [...written, ...written.map(decoded), ...url.searchParams.values(), ...segments]
}

/** Of a text that is no URL: what stands where credentials and query values do. */
function looseUrlSecrets(text: string): string[] {
  const query = [...text.matchAll(/[?&;][^=&;#]*=([^&;#]*)/g)].map((match) => match[1] ?? '')
  const user = /\/\/([^/@]*)@/.exec(text)?.[1] ?? ''
  return [...query, user, ...user.split(':')]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `--token=x`, `--token x`, `TOKEN=x`, `-H "Authorization: x"`, and what looks like a key of a known maker. */
function argumentSecrets(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [, flag, value] = /^([^=\s:]+)(?:=|:\s*)(.+)$/s.exec(arg) ?? []
    const before = args[index - 1] ?? ''
    if (flag !== undefined && value !== undefined && SECRET_FLAG.test(flag)) {
      return [value, /^(?:Bearer|Basic|Token)\s+(.+)$/is.exec(value)?.[1] ?? value]
    }
    if (before.startsWith('-') && !before.includes('=') && SECRET_FLAG.test(before) && !arg.startsWith('--')) return [arg]
    return SECRET_SHAPE.test(arg) ? [arg] : urlSecrets(arg.includes('://') ? arg : undefined)
  })
}
