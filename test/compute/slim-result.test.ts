import { createRequire } from 'node:module'
import type sharpModule from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import { createComputePool } from '../../src/actor/compute-pool.js'
import { slimResult } from '../../src/compute/slim-result.js'
import type { ImageDiet } from '../../src/protocol/result-diet.js'

const sharp = createRequire(import.meta.url)('sharp') as typeof sharpModule
const pool = createComputePool({ maxThreads: 1 })
afterAll(() => pool.close())

const AS_THEY_ARE: ImageDiet = { scale: undefined, format: undefined, quality: undefined }

describe('images', () => {
  it('are scaled, in image blocks and in embedded resources, all else kept to the byte', async () => {
    const png = await picture(80, 60)
    const result = `{"content":[ {"type":"image","mimeType":"image/png","data":"${png}","n":1.0},
      {"type":"resource","resource":{"uri":"a:b","mimeType":"image/png","blob":"${png}"}},
      {"type":"text","text":"image/png"} ],"isError":true,"_meta":{"k":1.0}}`
    const slim = await slimmed(result, { ...AS_THEY_ARE, scale: 0.5 })
    const { content } = JSON.parse(slim)
    const [own, embedded] = [content[0].data, content[1].resource.blob] as [string, string]
    expect(await sizeOf(own)).toMatchObject({ width: 40, height: 30, format: 'png' })
    expect(embedded).toBe(own)
    expect(slim).toBe(result.replaceAll(png, own))
  })

  it('take another format, and say so', async () => {
    const data = await picture(40, 40)
    const slim = JSON.parse(await slimmed(image(data, 'image/png'), { scale: undefined, format: 'webp', quality: 40 }))
      .content[0]
    expect(slim.mimeType).toBe('image/webp')
    expect(await sizeOf(slim.data)).toMatchObject({ width: 40, height: 40, format: 'webp' })
  })

  it('stand upright after scaling', async () => {
    const turned = await noise(60, 20).jpeg().withMetadata({ orientation: 6 }).toBuffer()
    const result = image(turned.toString('base64'), 'image/jpeg')
    const slim = JSON.parse(await slimmed(result, { ...AS_THEY_ARE, scale: 0.5 })).content[0]
    expect(await sizeOf(slim.data)).toMatchObject({ width: 10, height: 30 })
  })

  it.each([
    ['what is no image', 'bm90IGFuIGltYWdl', 'image/png'],
    [
      'vector graphics',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString('base64'),
      'image/svg+xml',
    ],
    ['nothing', '', 'image/png'],
  ])('stay as they are: %s', async (_, data, mimeType) => {
    expect(await slimmed(image(data, mimeType), { scale: 0.5, format: 'webp', quality: 1 })).toBe(image(data, mimeType))
  })

  it('stay as they are where encoding them anew saves nothing', async () => {
    const small = await noise(64, 64).jpeg({ quality: 5 }).toBuffer()
    const result = image(small.toString('base64'), 'image/jpeg')
    expect(await slimmed(result, { ...AS_THEY_ARE, quality: 95 })).toBe(result)
  })

  it('pass, and it is told, without the package', async () => {
    const frame = frameOf(image(await picture(8, 8), 'image/png'))
    const diet = { minify: false, maxChars: undefined, images: { ...AS_THEY_ARE, scale: 0.5 } }
    const slim = await slimResult({ frame, diet }, () => undefined)
    expect(slim).toMatchObject({ lacksSharp: true, idSpan: { start: 22, end: 23 } })
    expect(slim.frame).toBe(frame)
  })
})

// --- internal ---

function noise(width: number, height: number) {
  return sharp({
    create: { width, height, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  })
}

async function picture(width: number, height: number): Promise<string> {
  return (await noise(width, height).png().toBuffer()).toString('base64')
}

function sizeOf(base64: string) {
  return sharp(Buffer.from(base64, 'base64')).metadata()
}

function image(data: string, mimeType: string): string {
  return `{"content":[{"type":"image","data":"${data}","mimeType":"${mimeType}"}]}`
}

function frameOf(result: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`))
}

/** The result's JSON text, made on a thread of the pool. */
async function slimmed(result: string, images: ImageDiet): Promise<string> {
  const frame = frameOf(result)
  const diet = { minify: false, maxChars: undefined, images }
  const slim = await pool.run('slimResult', { frame, diet }, { transfer: [frame.buffer] })
  return Buffer.from(slim.frame).toString().slice('{"jsonrpc":"2.0","id":1,"result":'.length, -1)
}
