/** A model in this process or thread. */
import { SluiceError } from '../base/errors.js'
import type { DenseWeights, ModelFacts, ModelPlaces, TextRole, Vectors } from '../protocol/vector-api.js'
import type { Embedder } from './embedder.js'
import type { OnProgress } from './hub.js'
import { modelFolder } from './model-folder.js'
import { profileOf } from './model-profile.js'
import { calibrate } from './model-strength.js'
import { loadExtractor } from './transformers.js'
import { createTurns } from './turns.js'

export interface LocalEmbedderOptions extends ModelPlaces {
  readonly model: string
  /** `native` in a process of its own only. */
  readonly runtime: 'native' | 'wasm'
  readonly onProgress?: OnProgress
}

/** Nothing is loaded before it is asked for. A model that could not be loaded is tried again by the next ask. */
export function createLocalEmbedder(options: LocalEmbedderOptions): Embedder {
  let loading: Promise<Loaded> | undefined
  let closed = false
  /** Batches that run at the same time would share the processor. */
  const turns = createTurns()

  const loaded = (): Promise<Loaded> => {
    if (closed) return Promise.reject(new SluiceError('ACTOR_STOPPED'))
    if (!loading) {
      const attempt = loadModel(options)
      loading = attempt
      attempt.catch(() => {
        if (loading === attempt) loading = undefined
      })
    }
    return loading
  }
  return {
    load: async () => (await loaded()).facts,
    embed: (texts, role) => turns.run(async () => (await loaded()).embed(texts, role), { urgent: role === 'query' }),
    async close() {
      closed = true
      const attempt = loading
      loading = undefined
      await turns.idle()
      const model = await attempt?.catch(() => undefined)
      await model?.dispose()
    },
  }
}

// --- internal ---

interface Loaded {
  readonly facts: ModelFacts
  embed(texts: readonly string[], role: TextRole): Promise<Vectors>
  dispose(): Promise<void>
}

async function loadModel({ model, runtime, onProgress, ...places }: LocalEmbedderOptions): Promise<Loaded> {
  const folder = await modelFolder(model, places, onProgress)
  const profile = await profileOf(model, folder.path)
  const { extract, dispose } = await loadExtractor(folder, profile, runtime)
  const embed = async (texts: readonly string[], role: TextRole) => {
    const prefix = role === 'query' ? profile.queryPrefix : profile.passagePrefix
    try {
      return await extract(texts.map((text) => prefix + text.slice(0, profile.maxTokens * CHARS_PER_TOKEN).toWellFormed()))
    } catch (cause) {
      throw new SluiceError('VECTOR_MODEL', `the model "${model}" failed at its work`, { cause })
    }
  }
  const { dimensions } = await embed(['a'], 'passage')
  const { strength, floor } = await calibrate(embed)
  const { latinOnly } = profile
  const weights = strength < LEAST_STRENGTH ? NO_WEIGHTS : profile.weights
  return { facts: { model, runtime, dimensions, strength, floor, weights, latinOnly, digest: folder.digest }, embed, dispose }
}

/** Random weights have 0.02, real models above 0.9. */
const LEAST_STRENGTH = 0.5
const NO_WEIGHTS: DenseWeights = { tools: 0, prose: 0, code: 0 }

/** A text is cut here before it is taken apart into tokens, which costs more the longer it is. */
const CHARS_PER_TOKEN = 12
