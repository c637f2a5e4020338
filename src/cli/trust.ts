/** `sluice trust`: shows what ./sluice.json would start, and remembers that this may be started. */
import { buildConfig, serverEntries } from '../config/build-config.js'
import type { GatewayConfig } from '../config/config.js'
import type { Environment } from '../config/environment.js'
import { readProjectFile } from '../config/load-config.js'
import { isRecord } from '../config/option-schema.js'
import { createRedactor, secretsOf } from '../config/secrets.js'
import { rememberTrust } from '../config/trust.js'

/**
 * The exit code: 0, or 2 where the folder has nothing to trust.
 * @throws what loadConfig throws for a file with a fault, which is not trusted then
 */
export function trust(environment: Environment, write: (text: string) => void): number {
  const file = readProjectFile(environment)
  if (file === undefined) {
    write(`${visible(environment.cwd)} has no sluice.json, so there is nothing to trust\n`)
    return 2
  }
  const config = buildConfig(file.document, { environment })
  const { entries } = serverEntries(file.document)
  const lines = [...entries].map(([name, entry]) => `  ${describeEntry(name, entry, config)}`)
  rememberTrust(file, environment.dataDir)
  write(`${visible(file.path)} starts:\n${lines.join('\n')}\nTrusted as it is now; after a change it asks again.\n`)
  return 0
}

// --- internal ---

/** The entry as written: variables stand by name, so that their values are not shown, and what is secret is taken out. */
function describeEntry(name: string, entry: unknown, config: GatewayConfig): string {
  const title = visible(name)
  if (!isRecord(entry)) return `${title}: nothing (its entry is no object)`
  const fault = config.disabled.find((server) => server.name === name)
  const isUsed = config.servers.some((server) => server.name === name)
  const args = Array.isArray(entry['args']) ? entry['args'] : []
  const what = entry['command'] === undefined ? addressOf(entry) : [entry['command'], ...args].map(quoted).join(' ')
  const variables = isRecord(entry['env']) ? Object.keys(entry['env']).map(visible) : []
  const details = [
    ...(entry['cwd'] === undefined ? [] : [`in ${quoted(entry['cwd'])}`]),
    ...(variables.length === 0 ? [] : [`with ${variables.join(', ')}`]),
    ...(fault !== undefined ? [`not now: ${visible(fault.reason)}`] : isUsed ? [] : ['switched off']),
  ]
  return `${title}: ${redactWords(entry)(what)}${details.map((detail) => ` (${detail})`).join('')}`
}

/**
 * Hides keys in arguments and addresses, and nothing more: env values are not shown, and hiding words that equal one of them
 * would let a file hide what it starts.
 */
function redactWords({ args, url, serverUrl, httpUrl }: Record<string, unknown>): (text: string) => string {
  return createRedactor(secretsOf({ args, url, serverUrl, httpUrl }).filter((secret) => !secret.startsWith('$')))
}

function addressOf({ url, serverUrl, httpUrl }: Record<string, unknown>): string {
  return quoted(httpUrl ?? url ?? serverUrl)
}

/** A word as it would stand on a shell's line. */
function quoted(word: unknown): string {
  const text = typeof word === 'string' ? word : JSON.stringify(word ?? null)
  return /^[\w@%+=:,./${}?&-]+$/.test(text) ? text : visible(JSON.stringify(text))
}

/** Control and formatting characters could hide from the eye what is started. */
function visible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
}
