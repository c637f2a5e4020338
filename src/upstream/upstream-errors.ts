/** Names the server in what went wrong with it. A link tells what happened; only its owner knows whom it happened to. */
import { type ErrorCode, SluiceError } from '../base/errors.js'

/** `server "github" exited with code 1 …`. To be applied once to each error. */
export function nameServer(server: string, cause: SluiceError, redact: (text: string) => string): SluiceError {
  const detail = `server "${server}"${JOINTS[cause.code] ?? ' '}${cause.detail}`
  return new SluiceError(cause.code, redact(detail), { cause })
}

// --- internal ---

/** What stands between the name and a detail that does not begin with a verb. */
const JOINTS: Partial<Record<ErrorCode, string>> = {
  UPSTREAM_SPAWN: ' could not be started: ',
  UPSTREAM_CONNECT: ' could not be reached: ',
  ABORTED: ': ',
  INTERNAL: ': ',
}
