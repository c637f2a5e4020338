/** Prompts and resources as the results of a tool. */
import { describe, expect, it } from 'vitest'
import { promptAsToolResult, resourceAsToolResult } from '../../src/gateway/results-as-tool-results.js'

type Reshape = (frame: Uint8Array) => Uint8Array
const reshaped = (reshape: Reshape, frame: string) => Buffer.from(reshape(Buffer.from(frame))).toString()

describe('the messages of a prompt', () => {
  it('are content blocks, each behind who speaks, to the byte', () => {
    const image = '{"type":"image","data":"AA==","mimeType":"image/png","x":1.0}'
    const frame =
      '{"jsonrpc":"2.0","id":7,"result":{"description":"d","messages":[' +
      `{"role":"user","content":{ "type":"text","text":"caf\\u00e9" }},{"content":${image},"role":"assistant"}]},"extra":1e0}`
    expect(reshaped(promptAsToolResult, frame)).toBe(
      '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"[user]"},{ "type":"text","text":"caf\\u00e9" },' +
        `{"type":"text","text":"[assistant]"},${image}]},"extra":1e0}`,
    )
  })

  it('may have several blocks, no role or no content', () => {
    const message = (json: string) => `{"id":1,"result":{"messages":[${json}]}}`
    const contentOf = (json: string) =>
      (JSON.parse(reshaped(promptAsToolResult, message(json))) as { result: { content: { text: string }[] } }).result.content
    const block = (text: string) => `{"type":"text","text":"${text}"}`
    expect(contentOf(`{"role":"user","content":[${block('a')},${block('b')}]}`).map(({ text }) => text)).toEqual([
      '[user]',
      'a',
      'b',
    ])
    expect(contentOf(`{"content":${block('a')}}`).map(({ text }) => text)).toEqual(['[unknown]', 'a'])
    expect(contentOf('{"role":"user"}')).toEqual([])
    expect(contentOf('')).toEqual([])
  })
})

describe('the contents of a resource', () => {
  it('are embedded resources, to the byte', () => {
    const [text, blob] = ['{ "uri":"a://1","text":"x","n":1.0 }', '{"uri":"a://2","blob":"AA=="}']
    expect(reshaped(resourceAsToolResult, `{"jsonrpc":"2.0","id":1,"result":{"contents":[${text}, ${blob}],"_meta":{}}}`)).toBe(
      `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"resource","resource":${text}},{"type":"resource","resource":${blob}}]}}`,
    )
  })
})

describe.each<[string, Reshape]>([
  ['promptAsToolResult', promptAsToolResult],
  ['resourceAsToolResult', resourceAsToolResult],
])('%s', (_, reshape) => {
  it.each(['{"id":1,"error":{"code":-32002,"message":"gone"}}', '{"id":1,"result":{}}', '{"id":1,"result":{"other":[1]}}'])(
    'leaves %s as it is',
    (frame) => {
      expect(reshaped(reshape, frame)).toBe(frame)
    },
  )
})
