/** With what sessions embed their texts, and the process that they share for it. */
import { createEmbedderProcess, type EmbedderProcess } from '../actor/embedder-process.js'
import type { Logger } from '../base/logger.js'
import type { Settings } from '../config/config.js'
import type { FetchProgress, ModelPlaces, VectorFacts } from '../protocol/vector-api.js'

interface EmbeddingOptions {
  readonly models: ModelPlaces
  readonly dataDir?: string | undefined
  readonly logger: Logger
}

export class Embedding {
  readonly #options: EmbeddingOptions
  readonly #process: EmbedderProcess

  constructor(options: EmbeddingOptions) {
    this.#options = options
    const { models, logger } = options
    this.#process = createEmbedderProcess({ ...models, logger, onProgress: (progress) => logProgress(logger, progress) })
  }

  /** Undefined with vectors off. The process is started for the first session that has them on, and loads a model on use. */
  factsFor({ vector }: Settings): VectorFacts | undefined {
    if (!vector.enabled) return undefined
    const { models, dataDir } = this.#options
    const { model, runtime } = vector
    const socket = runtime === 'wasm' ? undefined : this.#process.socket()
    return { ...models, model, runtime, ...(socket !== undefined && { socket }), ...(dataDir !== undefined && { dataDir }) }
  }

  stop(): Promise<void> {
    return this.#process.stop()
  }
}

// --- internal ---

/** The first and the last piece of a file; a line for each would be thousands. */
function logProgress(logger: Logger, { file, bytes, total }: FetchProgress): void {
  if (bytes === total) logger.info('embedder.fetched', { file, bytes })
}
