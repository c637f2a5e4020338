import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { slimText } from '../../../src/text/result/slim-text.js'
import { jsonText, tokensOf } from '../../support/json-texts.js'

const EXACT = '{ "big": 123456789012345678901234567890,\n "inf": 1e400, "one": 1.0, "one": [ ], "esc": "\\u00e9 \\/ \\ud83d" }'

describe('minify', () => {
  it('keeps every token of JSON text and of structuredContent, and drops the white space between them', () => {
    fc.assert(
      fc.property(jsonText, (json) => {
        const result = `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json.trim()}}`
        const slim = slimmed(result, { minify: true })
        const least = tokensOf(json).join('')
        expect(JSON.parse(slim).content[0].text).toBe(least)
        expect(slim.endsWith(`"structuredContent":${least}}`)).toBe(true)
      }),
    )
  })

  it('keeps big integers, 1e400, 1.0, duplicate keys and escapes', () => {
    const least = '{"big":123456789012345678901234567890,"inf":1e400,"one":1.0,"one":[],"esc":"\\u00e9 \\/ \\ud83d"}'
    const result = `{"content":[{"type":"text","text":${JSON.stringify(EXACT)}}]}`
    expect(slimmed(result, { minify: true })).toBe(`{"content":[{"type":"text","text":${JSON.stringify(least)}}]}`)
  })

  it('reaches the text of embedded resources', () => {
    const result = (text: string) =>
      `{ "content": [ {"type":"resource", "resource": {"uri":"a:b", "text": ${JSON.stringify(text)}, "x":1.0}} ] }`
    expect(slimmed(result('[ 1.0 ]'), { minify: true })).toBe(result('[1.0]'))
  })

  it.each([
    ['text that is no JSON', '{"content":[{"type":"text","text":"a  b { 1 }"}]}'],
    ['JSON without white space', '{ "content" : [{"type":"text","text":"[1,\\" \\"]"}], "isError" : true, "new": 1.0 }'],
    ['a scalar', '{"content":[{"type":"text","text":" 1.0 "}]}'],
    ['odd blocks', '{"content":[null, {"type":"text","text":5}, {"type":"resource"}, {"type":"image","data":" [ 1 ] "}]}'],
    ['a task', '{"task":{"taskId":"t"},"content":[{"type":"text","text":"[ 1 ]"}]}'],
    ['no object', '[ 1 ]'],
  ])('gives the same frame for %s', (_, result) => {
    const frame = frameOf(result)
    expect(slimText(frame, { minify: true, maxChars: undefined })).toBe(frame)
  })

  it('gives the same frame for an error and for broken JSON', () => {
    for (const text of ['{"jsonrpc":"2.0","id":1,"error":{"code":1, "message":"[ 1 ]"}}', '{"result":{"content":[ ']) {
      const frame = Buffer.from(text)
      expect(slimText(frame, { minify: true, maxChars: 1 })).toBe(frame)
    }
  })
})

describe('maxChars without an index', () => {
  const long = 'x'.repeat(1000)

  it('cuts in the middle and says that it was cut', () => {
    const slim = JSON.parse(slimmed(`{"content":[{"type":"text","text":"${long}","annotations":{}}]}`, { maxChars: 100 }))
    expect(slim.content[0].text).toMatch(/^x{70}\n\[… 900 of 1000 characters were cut out here .*\]\nx{30}$/)
    expect(slim.content[0].annotations).toEqual({})
  })

  it('counts after minifying', () => {
    const spaced = JSON.stringify(`[${' '.repeat(500)}1.0]`)
    expect(slimmed(`{"content":[{"type":"text","text":${spaced}}]}`, { minify: true, maxChars: 100 })).toBe(
      '{"content":[{"type":"text","text":"[1.0]"}]}',
    )
  })

  it('takes several texts as one, and keeps all that is not text', () => {
    const image = '{"type":"image","data":"AA==","mimeType":"image/png","n":1.0}'
    const result = `{"content":[{"type":"text","text":"${long}"},${image},{"type":"text","text":"${'y'.repeat(300)}"}],"isError":true,"_meta":{"k":1.0}}`
    const slim = slimmed(result, { maxChars: 100 })
    expect(slim).toContain(image)
    expect(slim.endsWith(',"isError":true,"_meta":{"k":1.0}}')).toBe(true)
    const { content } = JSON.parse(slim)
    expect(content).toHaveLength(2)
    expect(content[0].text).toMatch(/^x{70}\n\[… 1202 of 1302 .*\]\ny{30}$/)
  })

  it('keeps an embedded resource one', () => {
    const result = `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"${long}","mimeType":"text/plain"}}]}`
    const { resource } = JSON.parse(slimmed(result, { maxChars: 100 })).content[0]
    expect(resource).toMatchObject({ uri: 'a:b', mimeType: 'text/plain' })
    expect(resource.text).toMatch(/^x{70}\n/)
  })

  it('leaves structuredContent whole, since a client checks it', () => {
    const result = `{"content":[],"structuredContent":{"long":"${long}"}}`
    expect(slimmed(result, { maxChars: 100 })).toBe(result)
  })
})

// --- internal ---

function frameOf(result: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`)
}

/** The result's JSON text. */
function slimmed(result: string, { minify = false, maxChars }: { minify?: boolean; maxChars?: number }): string {
  const frame = Buffer.from(slimText(frameOf(result), { minify, maxChars })).toString()
  return frame.slice('{"jsonrpc":"2.0","id":1,"result":'.length, -1)
}
