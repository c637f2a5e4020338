/** What a server's entry starts, for a person: as written, with variables by name, and without what is secret. */
import { isRecord } from '../config/option-schema.js'
import { createRedactor, secretsOf } from '../config/secrets.js'
import { showFound } from '../config/values.js'

/** `npx -y server --token *** (in /tmp) (with KEY)`. */
export function describeEntry(entry: unknown): string {
  if (!isRecord(entry)) return 'nothing (its entry is no object)'
  const { command } = entry
  const args = Array.isArray(entry['args']) ? entry['args'] : []
  const what = command === undefined ? addressOf(entry) : [command, ...args].map(quoted).join(' ')
  const variables = isRecord(entry['env']) ? Object.keys(entry['env']).map(visible) : []
  const details = [
    ...(entry['cwd'] === undefined ? [] : [`in ${quoted(entry['cwd'])}`]),
    ...(variables.length === 0 ? [] : [`with ${variables.join(', ')}`]),
  ]
  return `${redactWords(entry)(what)}${details.map((detail) => ` (${detail})`).join('')}`
}

/** Control and formatting characters could hide from the eye what is started. */
export function visible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
}

// --- internal ---

/**
 * Hides keys in arguments and addresses, and nothing more: env values are not shown, and hiding words that equal one of them
 * would let a file hide what it starts.
 */
function redactWords({ args, url, serverUrl, httpUrl }: Record<string, unknown>): (text: string) => string {
  return createRedactor(secretsOf({ args, url, serverUrl, httpUrl }).filter((secret) => !secret.startsWith('$')))
}

function addressOf({ url, serverUrl, httpUrl }: Record<string, unknown>): string {
  const address = httpUrl ?? url ?? serverUrl
  return address === undefined ? 'nothing (neither command nor url)' : quoted(address)
}

/** A word as it would stand on a shell's line. Of what is no text only the kind is told: it may hold a secret anywhere. */
function quoted(text: unknown): string {
  if (typeof text !== 'string') return `(${showFound(text)})`
  return /^[\w@%+=:,./${}?&-]+$/.test(text) ? text : visible(JSON.stringify(text))
}
