/** What is added to a refusal, and that nothing else is touched. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withSchemaHelp } from '../../src/gateway/schema-help.js'

const HELP = 'Parameters of x: {"type":"object"}'
const helped = (frame: string) => Buffer.from(withSchemaHelp(Buffer.from(frame), HELP)).toString()
const QUOTED = JSON.stringify(HELP)

describe('the schema in a refusal', () => {
  it('stands behind the message of an invalid-params error; all other bytes stay', () => {
    const frame = '{"jsonrpc":"2.0", "id":1,"error":{"data":{ "n":1.0 },"code":-32602,"message":"no \\u00e9"},"x":1e0}'
    expect(helped(frame)).toBe(
      `{"jsonrpc":"2.0", "id":1,"error":{"data":{ "n":1.0 },"code":-32602,"message":${JSON.stringify(`no é\n\n${HELP}`)}},"x":1e0}`,
    )
  })

  it.each([
    [
      '{"id":1,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}',
      `{"type":"text","text":"no"},{"type":"text","text":${QUOTED}}`,
    ],
    ['{"id":1,"result":{"isError": true ,"content":[ ]}}', `{"type":"text","text":${QUOTED}}`],
    [
      '{"id":1,"result":{"content":[{"type":"image","data":"","mimeType":"image/png"} ],"isError":true,"n":1.0}}',
      `},{"type":"text","text":${QUOTED}}`,
    ],
  ])('is the last block of %s', (frame, part) => {
    const text = helped(frame)
    expect(text).toContain(part)
    const { result } = JSON.parse(text) as { result: { content: object[] } }
    expect(result.content.at(-1)).toEqual({ type: 'text', text: HELP })
    expect(text.replace(`,{"type":"text","text":${QUOTED}}`, '').replace(`{"type":"text","text":${QUOTED}}`, '')).toBe(frame)
  })

  it.each([
    '{"id":1,"result":{"content":[{"type":"text","text":"done"}]}}',
    '{"id":1,"result":{"content":[{"type":"text","text":"done"}],"isError":false}}',
    '{"id":1,"result":{"isError":true}}',
    '{"id":1,"result":{"task":{"taskId":"1"}}}',
    '{"id":1,"error":{"code":-32601,"message":"no method"}}',
    '{"id":1,"error":{"code":-32602}}',
    `{"id":1,"result":{"isError":true,"content":[{"type":"text","text":"${'x'.repeat(70_000)}"}]}}`,
  ])('is not in %.80s', (frame) => {
    expect(helped(frame)).toBe(frame)
  })

  it('leaves every result that is none of these to the byte', () => {
    const results = fc.record({ content: fc.array(fc.jsonValue()), isError: fc.constantFrom(false, undefined) })
    fc.assert(
      fc.property(results, fc.nat(1), (result, indent) => {
        const frame = JSON.stringify({ jsonrpc: '2.0', id: 1, result }, null, indent)
        expect(helped(frame)).toBe(frame)
      }),
    )
  })
})
