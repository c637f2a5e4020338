/** What crosses threads and processes of embedding texts: readonly plain data. */

/** Where models are looked for and come from. */
export interface ModelPlaces {
  /** Models of the user, and those fetched, a folder each. */
  readonly modelsDir: string
  /** The cache that Hugging Face's own tools keep. */
  readonly hubCache: string
  /** Where models are fetched from. */
  readonly hubUrl: string
}

export type VectorRuntime = 'auto' | 'native' | 'wasm'

/** With what a session's texts are embedded. */
export interface VectorFacts extends ModelPlaces {
  /** A name on the hub, a folder, or `use-lite`. */
  readonly model: string
  readonly runtime: VectorRuntime
  /** Where the gateway's embedding process listens; undefined: there is none, and what is native cannot be used. */
  readonly socket?: string
  /** Where the vectors of the catalogs are kept; undefined: nowhere. */
  readonly dataDir?: string
}

/** A question and what answers it are not embedded alike. */
export type TextRole = 'query' | 'passage'

/** Vectors of length 1, one after the other. */
export interface Vectors {
  readonly dimensions: number
  readonly values: Float32Array
}

/** What a rank by meaning counts against the same rank by words, by kind of text: 0 leaves the ranking by words as it is. */
export interface DenseWeights {
  readonly tools: number
  readonly prose: number
  readonly code: number
}

/** What a model is, once it is loaded. */
export interface ModelFacts {
  readonly model: string
  readonly runtime: 'native' | 'wasm'
  readonly dimensions: number
  /** How well it tells what belongs together, from 0 (no better than chance) to 1. */
  readonly strength: number
  /** A cosine that unrelated texts hardly ever reach: what only meaning has found must be nearer. */
  readonly floor: number
  /** All 0 for a model without strength. */
  readonly weights: DenseWeights
  /** Whether it knows the Latin script only; other texts are not asked by meaning. */
  readonly latinOnly: boolean
  /** Other digits for other weights. */
  readonly digest: string
}

/** What the embedding process is started with. */
export interface EmbedderProcessArgs extends ModelPlaces {
  /** Where it listens: a socket, alone in its folder, or on Windows a pipe. */
  readonly path: string
}

/** How far fetching a model's file is. */
export interface FetchProgress {
  readonly file: string
  readonly bytes: number
  /** Undefined where the hub does not say. */
  readonly total: number | undefined
}

/** What the embedding process tells the gateway. */
export type EmbedderNews = { readonly ready: true } | { readonly model: string; readonly progress: FetchProgress }
