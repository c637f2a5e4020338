/** The embedder of a session: native where that works, else WebAssembly. */
import { SluiceError } from '../base/errors.js'
import type { VectorFacts } from '../protocol/vector-api.js'
import type { Embedder } from './embedder.js'
import { createLocalEmbedder } from './local-embedder.js'
import { createRemoteEmbedder } from './remote-embedder.js'

/** For the session's own thread. Nothing is loaded or connected before it is asked. */
export function createEmbedder(facts: VectorFacts): Embedder {
  const { model, runtime, socket } = facts
  const wasm = () => createLocalEmbedder({ ...facts, runtime: 'wasm' })
  if (runtime === 'wasm') return wasm()
  if (socket !== undefined) {
    const native = createRemoteEmbedder({ socket, model })
    return runtime === 'native' ? native : createFallback(native, wasm)
  }
  if (runtime === 'auto') return wasm()
  throw new SluiceError('VECTOR_RUNTIME', 'the native runtime needs a process of its own, and there is none')
}

/** Asks the first one as long as it has a runtime, and from then on the other. */
export function createFallback(first: Embedder, createOther: () => Embedder): Embedder {
  let other: Embedder | undefined
  const ask = async <T>(work: (embedder: Embedder) => Promise<T>): Promise<T> => {
    if (other) return work(other)
    try {
      return await work(first)
    } catch (thrown) {
      if (!(thrown instanceof SluiceError) || thrown.code !== 'VECTOR_RUNTIME') throw thrown
      other ??= createOther()
      return work(other)
    }
  }
  return {
    load: () => ask((embedder) => embedder.load()),
    embed: (texts, role) => ask((embedder) => embedder.embed(texts, role)),
    async close() {
      await Promise.all([first.close(), other?.close()])
    },
  }
}
