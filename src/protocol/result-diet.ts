/** What is done to a result so that it is smaller, as it crosses threads. */
import type { Span } from './json-spans.js'

export interface TextDiet {
  /** JSON text is rewritten without white space. */
  readonly minify: boolean
  /** Text of more UTF-16 code units is cut in the middle; undefined: never. */
  readonly maxChars: number | undefined
}

export interface ImageDiet {
  /** Of the width and height, above 0 and at most 1; undefined: as they are. */
  readonly scale: number | undefined
  /** Undefined: as it is. */
  readonly format: 'png' | 'jpeg' | 'webp' | 'avif' | undefined
  /** 1 to 100; undefined: the format's own default. */
  readonly quality: number | undefined
}

export interface ResultDiet extends TextDiet {
  readonly images: ImageDiet | undefined
}

export interface SlimmedResult {
  readonly frame: Uint8Array
  /** Undefined where the frame has no id. */
  readonly idSpan: Span | undefined
  /** Images stayed as they were since the package sharp is not installed. */
  readonly lacksSharp: boolean
}
