/** The library that runs models, loaded on use: in a process of its own natively, in a worker thread as WebAssembly. */
import { createRequire, Module } from 'node:module'
import { dirname, sep } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { messageOf, SluiceError } from '../base/errors.js'
import type { Vectors } from '../protocol/vector-api.js'
import type { ModelFolder } from './model-folder.js'
import type { ModelProfile } from './model-profile.js'

export type Extract = (texts: readonly string[]) => Promise<Vectors>

/** Rejects with VECTOR_RUNTIME where the library cannot be loaded, with VECTOR_MODEL where the model cannot. */
export async function loadExtractor(
  { path, name, quantized }: ModelFolder,
  { pooling, maxTokens }: ModelProfile,
  runtime: 'native' | 'wasm',
): Promise<{ extract: Extract; dispose: () => Promise<void> }> {
  const library = await loadLibrary(runtime)
  library.env.allowRemoteModels = false
  library.env.useFSCache = false
  library.env.localModelPath = dirname(path)
  // More threads would be worker threads of this worker thread.
  if (runtime === 'wasm' && library.env.backends.onnx.wasm) library.env.backends.onnx.wasm.numThreads = 1
  try {
    const pipeline = await library.pipeline('feature-extraction', path.slice(dirname(path).length).replace(sep, ''), {
      quantized,
    })
    // The tokenizer's own limit, often 512, would make batches of more than a gigabyte.
    pipeline.tokenizer.model_max_length = Math.min(maxTokens, pipeline.tokenizer.model_max_length || maxTokens)
    return {
      async extract(texts) {
        const { dims, data } = await pipeline([...texts], { pooling, normalize: true })
        return { dimensions: dims.at(-1) ?? 0, values: data }
      },
      dispose: () => pipeline.dispose(),
    }
  } catch (cause) {
    throw new SluiceError('VECTOR_MODEL', `the model "${name}" in ${path} cannot be loaded: ${messageOf(cause)}`, { cause })
  }
}

// --- internal ---

const LIBRARY = '@xenova/transformers'

/** What is used of the library. */
interface Transformers {
  readonly env: {
    allowRemoteModels: boolean
    useFSCache: boolean
    localModelPath: string
    readonly backends: { readonly onnx: { readonly wasm?: { numThreads: number } } }
  }
  pipeline(task: 'feature-extraction', model: string, options: { quantized: boolean }): Promise<Pipeline>
}

interface Pipeline {
  (
    texts: string[],
    options: { pooling: string; normalize: boolean },
  ): Promise<{ readonly dims: readonly number[]; readonly data: Float32Array }>
  readonly tokenizer: { model_max_length: number }
  dispose(): Promise<void>
}

async function loadLibrary(runtime: 'native' | 'wasm'): Promise<Transformers> {
  if (runtime === 'native' && !isMainThread) {
    throw new SluiceError(
      'VECTOR_RUNTIME',
      'the native runtime is never loaded in a worker thread, which would end the process',
    )
  }
  try {
    if (runtime === 'wasm') putWebInPlaceOfNative()
    return (await import('@xenova/transformers')) as unknown as Transformers
  } catch (cause) {
    throw new SluiceError('VECTOR_RUNTIME', `${LIBRARY} cannot be loaded: ${messageOf(cause)}`, { cause })
  }
}

/**
 * The library imports the native runtime wherever it runs on Node, and uses what it gets. Native onnxruntime corrupts a process whose
 * worker threads end (measured: the second thread that loads it fails, ending one in mid-run aborts the process). So the module is
 * there already when the library asks for it: the WebAssembly one, which has the same interface.
 */
function putWebInPlaceOfNative(): void {
  const library = createRequire(createRequire(import.meta.url).resolve(LIBRARY))
  const file = library.resolve('onnxruntime-node')
  const stand = new Module(file)
  stand.filename = file
  stand.exports = library('onnxruntime-web')
  stand.loaded = true
  const { cache } = createRequire(import.meta.url)
  if (!cache[file]) cache[file] = stand
}
