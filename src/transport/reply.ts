/** Short HTTP answers: JSON bodies, and JSON-RPC errors for what never reached a session. */
import type { ServerResponse } from 'node:http'
import { errorFrame } from '../protocol/frame.js'
import { RPC } from '../protocol/messages.js'

export type Headers = Readonly<Record<string, string>>

/** The code that clients know for a session that is gone. */
export const SESSION_GONE = -32001

/** What is wrong with an HTTP request. */
export interface Refusal {
  readonly status: number
  readonly message: string
  /** A JSON-RPC code; -32600 by default. */
  readonly code?: number
  readonly headers?: Headers
}

/** Headers and body in one write. Nothing happens if the client is gone. */
export function replyBytes(response: ServerResponse, body: Uint8Array, headers?: Headers): void {
  end(response, 200, body, headers)
}

export function replyJson(response: ServerResponse, status: number, value: object): void {
  end(response, status, Buffer.from(JSON.stringify(value), 'utf8'))
}

/** @param frame a JSON-RPC error */
export function replyFault(response: ServerResponse, status: number, frame: Uint8Array): undefined {
  end(response, status, frame)
}

export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { status, message, code = RPC.invalidRequest, headers } = refusal
  end(response, status, errorFrame('null', { code, message }), headers)
}

export function replyEmpty(response: ServerResponse, status: 202 | 204, headers?: Headers): void {
  if (response.destroyed) return
  response.writeHead(status, status === 204 ? headers : { 'content-length': '0', ...headers })
  response.end()
}

// --- internal ---

function end(response: ServerResponse, status: number, body: Uint8Array, headers?: Headers): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length, ...headers })
  response.end(body)
}
