/** What turns texts into vectors. Whoever uses one cannot tell where it runs. */
import type { ModelFacts, TextRole, Vectors } from '../protocol/vector-api.js'

/** Texts beyond this in one batch gain nothing and cost memory. */
export const MAX_BATCH = 8

export interface Embedder {
  /** Loads the model if it is not loaded. Rejects with VECTOR_MODEL or VECTOR_RUNTIME. */
  load(): Promise<ModelFacts>
  /**
   * Vectors of at most {@link MAX_BATCH} texts, in their order; texts longer than the model takes are cut. Rejects with VECTOR_MODEL or
   * VECTOR_RUNTIME. A query goes before passages that wait.
   */
  embed(texts: readonly string[], role: TextRole): Promise<Vectors>
  /** Lets go of the model. Idempotent; what is asked afterwards rejects with ACTOR_STOPPED. */
  close(): Promise<void>
}
