/** The embedding process with use-lite in a folder of its own, for trials with vectors. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbedderProcess, type EmbedderProcess } from '../src/actor/embedder-process.js'
import { silentLogger } from '../src/base/logger.js'
import type { VectorFacts } from '../src/protocol/vector-api.js'

export interface EmbeddingStage {
  readonly process: EmbedderProcess
  readonly native: VectorFacts
  readonly wasm: VectorFacts
  close(): Promise<void>
}

export function openEmbeddingStage(): EmbeddingStage {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-models-'))
  const places = { modelsDir: folder, hubCache: join(folder, 'hub'), hubUrl: 'http://127.0.0.1:1' }
  const running = createEmbedderProcess({ ...places, logger: silentLogger })
  return {
    process: running,
    native: { ...places, model: 'use-lite', runtime: 'native', socket: running.socket() },
    wasm: { ...places, model: 'use-lite', runtime: 'wasm' },
    async close() {
      await running.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
