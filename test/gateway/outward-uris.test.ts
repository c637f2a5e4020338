import { describe, expect, it } from 'vitest'
import { withOutwardUris } from '../../src/gateway/outward-uris.js'

const outward = (uri: string) => (uri === 'demo://x' ? 'sluice://server/b/demo://x' : uri)
const through = (result: object) => {
  const frame = Buffer.from(JSON.stringify({ result, jsonrpc: '2.0', id: 1 }))
  return (JSON.parse(Buffer.from(withOutwardUris(frame, outward)).toString()) as { result: unknown }).result
}

describe('URIs inside results', () => {
  it('are exchanged in links, embedded resources, contents and messages, and nowhere else', () => {
    const block = (uri: string) => [
      { type: 'resource_link', uri, name: 'demo://x' },
      { type: 'resource', resource: { uri, text: 'demo://x' } },
    ]
    const own = 'sluice://server/b/demo://x'
    const meta = { _meta: { uri: 'demo://x' }, structuredContent: { uri: 'demo://x' } }
    expect(through({ content: block('demo://x'), ...meta })).toEqual({ content: block(own), ...meta })
    expect(through({ contents: [{ uri: 'demo://x', text: 'demo://x' }] })).toEqual({
      contents: [{ uri: own, text: 'demo://x' }],
    })
    const messages = (uri: string) => ({
      messages: [
        { role: 'user', content: block(uri)[0] },
        { role: 'user', content: block(uri) },
      ],
    })
    expect(through(messages('demo://x'))).toEqual(messages(own))
  })

  it('leave other answers as they are, to the very object', () => {
    for (const text of [
      '{"jsonrpc":"2.0","id":1,"result":{"content":[{"uri":"demo://y"},{"uri":7},3]}}',
      '{"jsonrpc":"2.0","id":1,"error":{}}',
    ]) {
      const frame = Buffer.from(text)
      expect(withOutwardUris(frame, outward)).toBe(frame)
    }
  })
})
