import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { answerFacts } from '../../src/protocol/answer-facts.js'

const of = (result: string) => answerFacts(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`))
const textsOf = (result: object) => of(JSON.stringify(result))?.text.texts

describe('the facts of an answer', () => {
  it('have the digest of the result’s own bytes, whatever the id', () => {
    const result = '{"content":[],"big":12345678901234567890}'
    const digest = createHash('sha256').update(result).digest()
    expect(Buffer.from(of(result)?.digest ?? [])).toEqual(digest)
    const other = answerFacts(Buffer.from(`{"result":${result},"jsonrpc":"2.0","id":"x"}`))
    expect(Buffer.from(other?.digest ?? [])).toEqual(digest)
  })

  it.each([
    [
      {
        content: [
          { type: 'text', text: 'a "b"\n' },
          { type: 'resource', resource: { uri: 'x:y', text: 'c' } },
        ],
      },
      ['a "b"\n', 'c'],
    ],
    [
      {
        contents: [
          { uri: 'x:y', text: 'a' },
          { uri: 'x:z', blob: 'AAAA' },
        ],
      },
      ['a'],
    ],
    [
      {
        messages: [
          { role: 'user', content: { type: 'text', text: 'a' } },
          { role: 'user', content: [{ text: 'b' }] },
        ],
      },
      ['a', 'b'],
    ],
    [{ content: [{ type: 'text', text: 'a' }], structuredContent: { text: 'b' } }, ['a']],
    [{ content: [], structuredContent: { a: 1 } }, ['{"a":1}']],
    [{ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }, []],
    [{ tools: [] }, ['{"tools":[]}']],
  ])('of %j have the text that a model reads', (result, texts) => {
    expect(textsOf(result)).toEqual(texts)
  })

  it('tell errors, of tools too', () => {
    expect(of('{"content":[],"isError":true}')?.isError).toBe(true)
    expect(of('{"content":[],"isError":false}')?.isError).toBe(false)
    expect(answerFacts(Buffer.from('{"id":1,"error":{"code":-1,"message":"no"}}'))).toMatchObject({
      isError: true,
      text: { texts: ['no'] },
    })
  })

  it('are none of what is no answer', () => {
    expect(answerFacts(Buffer.from('{"id":1,"method":"x"}'))).toBeUndefined()
    expect(answerFacts(Buffer.from('nothing'))).toBeUndefined()
  })
})
