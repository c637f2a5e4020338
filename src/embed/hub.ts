/** Fetches a model's files from the hub. */
import { messageOf, SluiceError } from '../base/errors.js'
import type { FetchProgress } from '../protocol/vector-api.js'

export type OnProgress = (progress: FetchProgress) => void

/** @param name `owner/model`. Rejects with VECTOR_MODEL; nothing is kept then. */
export async function fetchModel(name: string, hubUrl: string, onProgress?: OnProgress): Promise<Map<string, Buffer>> {
  if (!MODEL_NAME.test(name)) {
    throw new SluiceError('VECTOR_MODEL', `"${name}" is neither a folder nor a model of the hub, which is named owner/model`)
  }
  const files = new Map<string, Buffer>()
  for (const { file, optional } of FILES) {
    const bytes = await fetchFile(name, { file, optional, hubUrl, onProgress })
    if (bytes) files.set(file, bytes)
  }
  return files
}

// --- internal ---

const MODEL_NAME = /^(?!\.)[\w.-]+\/(?!\.)[\w.-]+$/
/** A hub that says nothing for so long is out of reach. */
const SILENCE_MS = 30_000

const FILES: readonly { readonly file: string; readonly optional: boolean }[] = [
  { file: 'config.json', optional: false },
  { file: 'tokenizer.json', optional: false },
  { file: 'tokenizer_config.json', optional: false },
  { file: 'special_tokens_map.json', optional: true },
  { file: '1_Pooling/config.json', optional: true },
  { file: 'config_sentence_transformers.json', optional: true },
  { file: 'onnx/model_quantized.onnx', optional: false },
]

interface Wanted {
  readonly file: string
  readonly optional: boolean
  readonly hubUrl: string
  readonly onProgress: OnProgress | undefined
}

async function fetchFile(name: string, { file, optional, hubUrl, onProgress }: Wanted): Promise<Buffer | undefined> {
  const url = `${hubUrl.replace(/\/+$/, '')}/${name}/resolve/main/${file}`
  const quiet = new AbortController()
  const timer = setTimeout(() => quiet.abort(new Error(`it said nothing for ${SILENCE_MS / 1000} s`)), SILENCE_MS)
  try {
    const response = await fetch(url, { signal: quiet.signal })
    if (!response.ok) {
      await response.body?.cancel()
      if (optional) return undefined
      throw new Error(`it answered ${response.status}`)
    }
    const length = Number(response.headers.get('content-length') ?? Number.NaN)
    const total = Number.isFinite(length) ? length : undefined
    const pieces: Uint8Array[] = []
    let bytes = 0
    for await (const piece of response.body ?? []) {
      timer.refresh()
      pieces.push(piece)
      bytes += piece.byteLength
      onProgress?.({ file, bytes, total })
    }
    return Buffer.concat(pieces)
  } catch (cause) {
    const why = cause instanceof TypeError && cause.cause ? messageOf(cause.cause) : messageOf(cause)
    throw new SluiceError('VECTOR_MODEL', `the model "${name}" cannot be fetched from ${hubUrl}: ${why}`, { cause })
  } finally {
    clearTimeout(timer)
  }
}
