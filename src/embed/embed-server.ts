/** The embedding process's side of the socket: models by name, each loaded on use, for all sessions. */
import { createServer, type Server, type Socket } from 'node:net'
import { asSluiceError } from '../base/errors.js'
import type { Embedder } from './embedder.js'
import { receiveFrom, sendOver, type WireAnswer, type WireRequest } from './wire.js'

/** Resolves when it listens; rejects with the system's error where it cannot. */
export async function serveEmbedders(path: string, createEmbedder: (model: string) => Embedder): Promise<Server> {
  const embedders = new Map<string, Embedder>()
  const embedderOf = (model: string): Embedder => {
    const embedder = embedders.get(model) ?? createEmbedder(model)
    embedders.set(model, embedder)
    return embedder
  }
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    receiveFrom<WireRequest>(socket, (request) => void answer(socket, request, embedderOf(request.model)))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return server
}

// --- internal ---

async function answer(socket: Socket, request: WireRequest, embedder: Embedder): Promise<void> {
  const reply = await outcomeOf(request, embedder)
  if (socket.writable) sendOver(socket, reply)
}

async function outcomeOf(request: WireRequest, embedder: Embedder): Promise<WireAnswer> {
  const { id } = request
  try {
    if (request.verb === 'load') return { id, facts: await embedder.load() }
    return { id, vectors: await embedder.embed(request.texts, request.role) }
  } catch (thrown) {
    return { id, error: asSluiceError(thrown).toData() }
  }
}
