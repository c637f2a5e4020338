/** Messages between the sessions' threads and the embedding process over a local socket: a length, then the value as V8 writes it. */
import type { Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'
import type { ErrorData } from '../base/errors.js'
import type { ModelFacts, TextRole, Vectors } from '../protocol/vector-api.js'

export type WireRequest =
  | { readonly id: number; readonly verb: 'load'; readonly model: string }
  | {
      readonly id: number
      readonly verb: 'embed'
      readonly model: string
      readonly texts: readonly string[]
      readonly role: TextRole
    }

export type WireAnswer =
  | { readonly id: number; readonly facts: ModelFacts }
  | { readonly id: number; readonly vectors: Vectors }
  | { readonly id: number; readonly error: ErrorData }

export function sendOver(socket: Socket, message: WireRequest | WireAnswer): void {
  const bytes = serialize(message)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(bytes.length)
  socket.write(Buffer.concat([head, bytes]))
}

/** Calls `onMessage` for each whole message. Both sides are ours: what cannot be read ends the connection. */
export function receiveFrom<T extends WireRequest | WireAnswer>(socket: Socket, onMessage: (message: T) => void): void {
  let held: Buffer = Buffer.alloc(0)
  socket.on('data', (piece: Buffer) => {
    held = held.length === 0 ? piece : Buffer.concat([held, piece])
    while (held.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + held.readUInt32LE()
      if (held.length < end) return
      const message = held.subarray(HEAD_BYTES, end)
      held = held.subarray(end)
      try {
        onMessage(deserialize(message) as T)
      } catch (error) {
        socket.destroy(error as Error)
        return
      }
    }
  })
}

// --- internal ---

const HEAD_BYTES = 4
