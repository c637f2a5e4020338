/** The images of a tool result made smaller or turned into another format. One that cannot be read stays as it is. */
import { applyEdits, type Edit } from '../protocol/json-spans.js'
import type { ImageDiet } from '../protocol/result-diet.js'
import { type ImagePart, imageParts, openResult } from '../text/result/result-parts.js'

/** What is used of the package sharp. */
export type Sharp = (input: Buffer) => SharpImage

/** The same frame where there is no image to change. Animations and vector graphics stay as they are. */
export async function scaleImages(frame: Uint8Array, images: ImageDiet, sharp: Sharp): Promise<Uint8Array> {
  const opened = openResult(frame)
  if (!opened) return frame
  const edits: Edit[] = []
  // One after the other: each takes many times its size while it is worked on.
  for (const part of imageParts(frame, opened)) {
    const made = await convert(part, images, sharp).catch(() => undefined)
    if (!made) continue
    edits.push({ ...part.dataSlot, text: JSON.stringify(made.bytes.toString('base64')) })
    if (made.mimeType !== part.mimeType) edits.push({ ...part.typeSlot, text: JSON.stringify(made.mimeType) })
  }
  return edits.length === 0 ? frame : applyEdits(frame, edits)
}

// --- internal ---

type Format = NonNullable<ImageDiet['format']> | 'gif'

interface SharpImage {
  metadata(): Promise<{
    readonly format?: string
    readonly compression?: string
    readonly pages?: number
    /** As it is seen, by the orientation it names. */
    readonly autoOrient: { readonly width: number; readonly height: number }
  }>
  autoOrient(): SharpImage
  resize(width: number, height: number, options: { readonly fit: 'fill' }): SharpImage
  toFormat(format: Format, options: { readonly quality?: number }): SharpImage
  toBuffer(): Promise<Buffer>
}

const RASTER: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'gif'])
const VECTOR: ReadonlySet<string> = new Set(['svg', 'pdf'])

interface Converted {
  readonly bytes: Buffer
  readonly mimeType: string
}

/** Undefined where it is to stay: no still image, or encoded anew to no use. */
async function convert({ data, mimeType }: ImagePart, images: ImageDiet, sharp: Sharp): Promise<Converted | undefined> {
  const input = Buffer.from(data, 'base64')
  const meta = await sharp(input).metadata()
  const own = meta.compression === 'av1' ? 'avif' : meta.format
  const format = images.format ?? ownFormat(own)
  if (format === undefined || VECTOR.has(own ?? '') || (meta.pages ?? 1) > 1) return undefined
  const { scale = 1, quality } = images
  const [width, height] = [meta.autoOrient.width, meta.autoOrient.height].map((side) => Math.max(1, Math.round(side * scale)))
  const upright = sharp(input).autoOrient()
  const sized = scale === 1 ? upright : upright.resize(width ?? 1, height ?? 1, { fit: 'fill' })
  const bytes = await sized.toFormat(format, quality === undefined ? {} : { quality }).toBuffer()
  if (scale === 1 && format === own && bytes.length >= input.length) return undefined
  return { bytes, mimeType: format === own ? mimeType : `image/${format}` }
}

/** The format to keep; undefined for those that only a wish for another one changes. */
function ownFormat(own: string | undefined): Format | undefined {
  return own === 'avif' || RASTER.has(own ?? '') ? (own as Format) : undefined
}
