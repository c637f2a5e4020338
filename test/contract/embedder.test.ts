import { join } from 'node:path'
import { createEmbedderProcess } from '../../src/actor/embedder-process.js'
import { silentLogger } from '../../src/base/logger.js'
import { createEmbedder } from '../../src/embed/auto-embedder.js'
import type { VectorFacts } from '../../src/protocol/vector-api.js'
import { createTestModels } from '../support/models.js'
import { embedderContract } from './embedder-contract.js'

embedderContract('native in the process that all sessions share', () => opened('native'))
embedderContract('as WebAssembly in the thread that asks', () => opened('wasm'))
embedderContract('whichever works', () => opened('auto'))

async function opened(runtime: VectorFacts['runtime']) {
  const models = createTestModels()
  const running = runtime === 'wasm' ? undefined : createEmbedderProcess({ ...models, logger: silentLogger })
  const facts = { ...models, runtime, ...(running && { socket: running.socket() }) }
  const embedder = createEmbedder({ ...facts, model: 'use-lite' })
  const lost = createEmbedder({ ...facts, model: join(models.folder, 'nowhere') })
  return {
    embedder,
    lost,
    async close() {
      await Promise.all([embedder.close(), lost.close()])
      await running?.stop()
      models.remove()
    },
  }
}
