/** What crosses the thread of `sluice model`: readonly plain data and the verbs on it. */
import type { FetchProgress, ModelFacts, ModelPlaces, VectorFacts } from './vector-api.js'

export interface ListedModel {
  readonly name: string
  readonly path: string
  /** Of the weights. */
  readonly bytes: number
}

export interface ModelTest {
  readonly facts: ModelFacts
  /** Passages of about 100 words. */
  readonly embeddingsPerSecond: number
}

export interface ModelApi {
  /** Models on this machine, in the user's folder. */
  list(args: ModelPlaces): Promise<readonly ListedModel[]>
  /** Fetches or makes the model unless it is there, and says where it is. Rejects with VECTOR_MODEL. */
  pull(args: ModelPlaces & { readonly model: string }): Promise<ListedModel>
  /** Of the file that is being fetched. */
  progress(args: Readonly<Record<string, never>>): Promise<FetchProgress | undefined>
  /** Loads it and measures it for a second. Rejects with VECTOR_MODEL or VECTOR_RUNTIME. */
  test(args: VectorFacts): Promise<ModelTest>
}
