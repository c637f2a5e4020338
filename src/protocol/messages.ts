/** JSON-RPC messages as the relay sees them: the members it routes by, everything else untouched. */

export type JsonRpcId = string | number

export interface JsonRpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: JsonRpcId
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

export interface JsonRpcNotification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

export interface JsonRpcErrorBody {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export interface JsonRpcResponse {
  readonly jsonrpc: '2.0'
  readonly id: JsonRpcId | null
  readonly result?: unknown
  readonly error?: JsonRpcErrorBody
}

export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse

/** A message with the very bytes it came in: no line break inside, no byte order mark. */
export interface Incoming<M extends JsonRpcMessage = JsonRpcMessage> {
  readonly frame: Uint8Array
  readonly message: M
  /** From a server: the id of the request on whose stream it came, where the transport has streams. */
  readonly about?: JsonRpcId | undefined
}

/** Error codes of JSON-RPC and MCP. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  resourceNotFound: -32002,
  connectionClosed: -32000,
  requestTimeout: -32001,
} as const

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return 'method' in message && 'id' in message
}

export function isNotification(message: JsonRpcMessage): message is JsonRpcNotification {
  return 'method' in message && !('id' in message)
}

export function isResponse(message: JsonRpcMessage): message is JsonRpcResponse {
  return !('method' in message) && ('result' in message || 'error' in message)
}

/** A plain object, or undefined. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined
}
