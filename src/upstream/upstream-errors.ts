/** Names the server in what went wrong with it. A link tells what happened; only its owner knows whom it happened to. */
import { type ErrorCode, SluiceError } from '../base/errors.js'

export interface ServerErrors {
  /** An error of a link, with the server's name in front: `server "github" exited with code 1 …`. Once for each error. */
  named(cause: SluiceError): SluiceError
  /** An error of our own. @param deed what the server did, a sentence that lacks its subject: `did not start within 5 ms` */
  error(code: ErrorCode, deed: string): SluiceError
  startTimeout(limitMs: number): SluiceError
}

/**
 * @param redact takes secrets out of the text
 * @param loginCommand what to run for a login at it
 */
export function createServerErrors(server: string, redact: (text: string) => string, loginCommand?: string): ServerErrors {
  const subject = `server "${server}"`
  const error = (code: ErrorCode, deed: string) => new SluiceError(code, redact(`${subject} ${deed}`))
  return {
    named: (cause) => {
      const remedy = ASK_LOGIN.has(cause.code) && loginCommand !== undefined ? `; run: ${loginCommand}` : ''
      const text = `${subject}${JOINTS[cause.code] ?? ': '}${cause.detail}${remedy}`
      return new SluiceError(cause.code, redact(text), { cause })
    },
    error,
    startTimeout: (limitMs) => error('UPSTREAM_START_TIMEOUT', `did not start within ${limitMs} ms (connectTimeout)`),
  }
}

// --- internal ---

/** What stands between the name and the detail, where it is no colon. */
const JOINTS: Partial<Record<ErrorCode, string>> = {
  UPSTREAM_SPAWN: ' could not be started: ',
  UPSTREAM_EXITED: ' ',
  UPSTREAM_LOGIN: ' ',
  UPSTREAM_SCOPE: ' ',
}

const ASK_LOGIN: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['UPSTREAM_LOGIN', 'UPSTREAM_SCOPE'])
