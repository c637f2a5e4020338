/** A failure that the client sees as a JSON-RPC error. */
import { ERROR_CODES, type ErrorCode, SluiceError } from '../base/errors.js'
import { type JsonRpcErrorBody, RPC } from '../protocol/messages.js'

export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly body: JsonRpcErrorBody

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.body = { code, message, ...(data !== undefined && { data }) }
  }
}

const RPC_CODES = new Map<ErrorCode, number>([
  ['UPSTREAM_TIMEOUT', RPC.requestTimeout],
  ['UPSTREAM_START_TIMEOUT', RPC.requestTimeout],
  ['ASK_TIMEOUT', RPC.requestTimeout],
  ['UPSTREAM_EXITED', RPC.connectionClosed],
  ['UPSTREAM_SPAWN', RPC.connectionClosed],
  ['UPSTREAM_CONNECT', RPC.connectionClosed],
  ['UPSTREAM_REFUSED', RPC.connectionClosed],
  ['UPSTREAM_LOGIN', RPC.connectionClosed],
  ['UPSTREAM_SCOPE', RPC.connectionClosed],
  ['UPSTREAM_STOPPED', RPC.connectionClosed],
])

/**
 * The JSON-RPC error of any thrown value; `data.code` is our own code, `data.todo` what to do about it. The message says both too: it
 * is all that a model sees.
 */
export function rpcErrorBody(thrown: unknown, redact: (text: string) => string): JsonRpcErrorBody {
  if (thrown instanceof RpcError) return thrown.body
  const { code, advice } = thrown instanceof SluiceError ? thrown : new SluiceError('INTERNAL')
  const data = { code, todo: ERROR_CODES[code].todo }
  return { code: RPC_CODES.get(code) ?? RPC.internalError, message: redact(advice), data }
}
