/** The verbs of `sluice model`. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListedModel, ModelApi } from '../protocol/model-api.js'
import type { FetchProgress } from '../protocol/vector-api.js'
import { createEmbedder } from './auto-embedder.js'
import { MAX_BATCH } from './embedder.js'
import { findModel, listModels, type ModelFolder, modelFolder } from './model-folder.js'

export function createModelApi(): ModelApi {
  let progress: FetchProgress | undefined
  return {
    async list(places) {
      const folders = await Promise.all((await listModels(places)).map((name) => findModel(name, places)))
      return Promise.all(folders.flatMap((folder) => (folder ? [listed(folder)] : [])))
    },
    async pull({ model, ...places }) {
      const folder = await modelFolder(model, places, (news) => {
        progress = news
      })
      return listed(folder)
    },
    progress: async () => progress,
    async test(facts) {
      const embedder = createEmbedder(facts)
      try {
        const found = await embedder.load()
        const started = performance.now()
        let count = 0
        for (; performance.now() - started < TEST_MS; count += MAX_BATCH) {
          await embedder.embed(Array<string>(MAX_BATCH).fill(PASSAGE), 'passage')
        }
        return { facts: found, embeddingsPerSecond: (count * 1000) / (performance.now() - started) }
      } finally {
        await embedder.close()
      }
    },
  }
}

// --- internal ---

const TEST_MS = 1_000
const PASSAGE =
  'What stands here is as long as a passage of a usual text is, so that the time that it takes tells something. '.repeat(5)

async function listed({ name, path, quantized }: ModelFolder): Promise<ListedModel> {
  const { size } = await stat(join(path, 'onnx', quantized ? 'model_quantized.onnx' : 'model.onnx'))
  return { name, path, bytes: size }
}
