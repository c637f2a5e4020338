/** A tool result made smaller on a thread of the pool: its text, and its images with the optional package sharp, loaded on use. */
import { createRequire } from 'node:module'
import { idSpanOf } from '../protocol/frame.js'
import type { ImageDiet, ResultDiet, SlimmedResult } from '../protocol/result-diet.js'
import { slimText } from '../text/result/slim-text.js'
import { scaleImages } from './scale-images.js'

/**
 * The frame comes back as it was where nothing is to be done to it.
 * @param loadSharp gives undefined where the package is not installed
 */
export async function slimResult(
  { frame, diet }: { readonly frame: Uint8Array; readonly diet: ResultDiet },
  loadSharp: () => Sharp | undefined = requireSharp,
): Promise<SlimmedResult> {
  const text = slimText(frame, diet)
  const { slim, lacksSharp } = diet.images ? await withImages(text, diet.images, loadSharp) : { slim: text, lacksSharp: false }
  return { frame: slim, idSpan: idSpanOf(slim), lacksSharp }
}

// --- internal ---

type Sharp = Parameters<typeof scaleImages>[2]

async function withImages(frame: Uint8Array, images: ImageDiet, loadSharp: () => Sharp | undefined) {
  const sharp = loadSharp()
  return sharp ? { slim: await scaleImages(frame, images, sharp), lacksSharp: false } : { slim: frame, lacksSharp: true }
}

function requireSharp(): Sharp | undefined {
  try {
    return createRequire(import.meta.url)('sharp') as Sharp
  } catch {
    // Not installed, or not for this machine: images pass as they are, and a warning says so.
    return undefined
  }
}
