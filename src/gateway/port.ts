/** How a session reaches its client, and a transport its session. */
import type { Incoming } from '../protocol/messages.js'

/** The JSON text of a client's request id: `7` or `"a"`. Two ids are the same request only if their texts are equal. */
export type RequestKey = string

/** Implemented by the transports. */
export interface ClientPort {
  /** The final answer to a request of the client's. Dropped silently if the client is gone. */
  answer(request: RequestKey, frame: Uint8Array): void
  /** Any other message. `about` is the client's request it belongs to: over HTTP it goes on that request's stream. */
  push(frame: Uint8Array, about?: RequestKey): void
}

/** Implemented by the gateway. */
export interface ClientSession {
  readonly id: string
  /** One message of the client's; a batch was split before. Never throws. */
  receive(incoming: Incoming): void
  /** Whether a request is in flight or a server-side stream is worth keeping the session for. */
  readonly busy: boolean
  /** Ends the session: cancels what is in flight, stops its servers and its actor. Idempotent; within 5 s. */
  close(): Promise<void>
}

export interface SessionFacts {
  readonly id: string
  /** Where the client came in. */
  readonly transport: 'stdio' | 'http'
  /** The name that its token gives the client; undefined: the one it gives itself counts. */
  readonly clientName?: string | undefined
}

/** What a transport needs of the gateway. */
export interface SessionHost {
  openSession(facts: SessionFacts, port: ClientPort): ClientSession
}
