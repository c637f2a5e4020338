/** One wire to a server, of any transport: frames out, frames in. It knows nothing of MCP's methods. */
import type { SluiceError } from '../base/errors.js'
import type { JsonRpcId } from '../protocol/messages.js'

export interface LinkEvents {
  /**
   * One message from the server: UTF-8, no line break inside. A frame above LARGE_FRAME has an ArrayBuffer of its own; a smaller
   * one may share its buffer, and is valid for good.
   * @param about the id of the request on whose stream it came, where the transport has streams
   */
  frame(frame: Uint8Array, about?: JsonRpcId): void
  /** The request of this id got no answer and will get none (an HTTP error, a stream that broke for good). */
  requestFailed(id: JsonRpcId, cause: SluiceError): void
  /** A message above the limit was dropped. `head` is its beginning, from which the id may be read. */
  tooLong(head: Uint8Array, bytes: number): void
  /** What the server wrote that is no message; counted and logged at debug level. */
  noise(text: string): void
  /** An HTTP server no longer knows our session (404): the owner initialises again on the same link and replays `pending`. */
  sessionLost(pending: readonly JsonRpcId[]): void
  /** The link is down, once; nothing is called after it. `undefined`: it was closed by us. */
  closed(cause: SluiceError | undefined): void
}

export interface SendOptions {
  /** The id of the frame if it is a request. */
  readonly requestId?: JsonRpcId
  /** The id of the request that this frame cancels: nobody waits for its answer any more, and what it holds open may be closed. */
  readonly cancels?: JsonRpcId
}

export interface Link {
  /** Starts it. Rejects with UPSTREAM_SPAWN, UPSTREAM_CONNECT, UPSTREAM_REFUSED or ABORTED. */
  open(signal: AbortSignal): Promise<void>
  /** Never throws: a failure is told by `requestFailed` or `closed`. */
  send(frame: Uint8Array, options?: SendOptions): void
  /** The revision both sides agreed on, for the MCP-Protocol-Version header. */
  setProtocolVersion(version: string): void
  /** `initialize` is done: an HTTP link opens its GET stream now, where the server has one. */
  initialized(): void
  /** Forgets the session (HTTP), so that `initialize` can be sent anew. */
  reset(): void
  /** Ends it within 4 s, child processes and their descendants included. Idempotent. */
  close(): Promise<void>
}
