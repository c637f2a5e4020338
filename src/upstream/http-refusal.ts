/** What an HTTP answer that is no success means to the request it answers. */
import { SluiceError } from '../base/errors.js'
import { parseMessage } from '../protocol/frame.js'
import { isResponse, type JsonRpcId, type JsonRpcResponse, RPC } from '../protocol/messages.js'
import { framesOf, readBeginning } from './http-body.js'
import type { HttpAnswer, HttpWire } from './http-wire.js'

export interface Refusal {
  /** The body, or the beginning of a very long one. */
  readonly body: Uint8Array
  /** The request that the body answers, where it is a JSON-RPC error with an id. */
  readonly answers: JsonRpcId | undefined
  /** The server no longer knows the session, and has not looked at the request. Means something only if one was named. */
  readonly sessionGone: boolean
  /** What a server of 2024-11-05 says to a POST where its event stream is. */
  readonly fitsOlderServer: boolean
  readonly cause: SluiceError
}

const MAX_BODY_BYTES = 1_048_576
/** What a proxy answers for a server that is not there. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504])

export async function readRefusal(answer: HttpAnswer, wire: HttpWire): Promise<Refusal> {
  const { status } = answer
  if (status === 401 || status === 403) {
    answer.drop()
    return {
      body: new Uint8Array(0),
      answers: undefined,
      sessionGone: false,
      fitsOlderServer: false,
      cause: unauthorized(answer, wire),
    }
  }
  const body = await readBeginning(answer, MAX_BODY_BYTES)
  const response = errorResponse(body)
  const text = wire.quote(body)
  return {
    body,
    answers: response?.id ?? undefined,
    sessionGone: isSessionGone(status, response, text),
    fitsOlderServer: status >= 400 && status < 500,
    cause: new SluiceError(
      AWAY.has(status) ? 'UPSTREAM_CONNECT' : 'UPSTREAM_REFUSED',
      `${wire.name} answered HTTP ${status}${redirectNote(status)}${text && `: ${text}`}`,
    ),
  }
}

// --- internal ---

const ABOUT_THE_REQUEST: ReadonlySet<number> = new Set([RPC.methodNotFound, RPC.invalidParams, RPC.internalError])

/** 404, or the 400 that many servers give instead of it. An error about the request itself says that the session is well. */
function isSessionGone(status: number, response: JsonRpcResponse | undefined, text: string): boolean {
  if (response?.error && ABOUT_THE_REQUEST.has(response.error.code)) return false
  return status === 404 || (status === 400 && /\bsession\b|not initialized/i.test(text))
}

function errorResponse(body: Uint8Array): JsonRpcResponse | undefined {
  const [frame, ...more] = framesOf(body)
  const message = frame && more.length === 0 ? parseMessage(frame)?.message : undefined
  return message && isResponse(message) ? message : undefined
}

function redirectNote(status: number): string {
  return status >= 300 && status < 400 ? ', a redirect that is not followed' : ''
}

/** WWW-Authenticate may hold what is nobody's business, and is not shown. */
function unauthorized(answer: HttpAnswer, wire: HttpWire): SluiceError {
  const detail = `${wire.name} answered HTTP ${answer.status}: the server wants authorization; give it in the entry's "headers"`
  return new SluiceError('UPSTREAM_REFUSED', detail)
}
