import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paramText, upstreamRequest, withParams } from '../../src/gateway/relay-frame.js'

const frame = (text: string) => Buffer.from(text, 'utf8')
const relayed = (text: string, params: { path: string[]; value: string }[] = []) =>
  upstreamRequest(frame(text), { id: 7, params }).toString('utf8')

describe('a request on its way to an upstream', () => {
  it('gets a new id, a progress token and the upstream name, and keeps every other byte', () => {
    const text =
      '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x__t","arguments":{"n":1.0,"name":"x__t","big":1e400}}}'
    expect(relayed(text, [{ path: ['name'], value: 't' }])).toBe(
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":7},"name":"t","arguments":{"n":1.0,"name":"x__t","big":1e400}}}',
    )
  })

  it('exchanges the token of the client and keeps the rest of _meta', () => {
    const text = '{"id":0,"params":{"_meta":{"x":1,"progressToken":"mine"}},"jsonrpc":"2.0","method":"m"}'
    expect(relayed(text)).toBe('{"id":7,"params":{"_meta":{"x":1,"progressToken":7}},"jsonrpc":"2.0","method":"m"}')
  })

  it('makes params where there are none', () => {
    expect(JSON.parse(relayed('{"jsonrpc":"2.0","id":1,"method":"m"}'))).toEqual({
      jsonrpc: '2.0',
      id: 7,
      method: 'm',
      params: { _meta: { progressToken: 7 } },
    })
  })

  it('changes nothing but id, token and named params for any message', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }), (args, more) => {
        const { _meta: _, name: __, ...rest } = more
        const message = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { ...rest, name: 'x__t', arguments: args } }
        const out = JSON.parse(relayed(JSON.stringify(message), [{ path: ['name'], value: 't' }])) as typeof message
        expect(JSON.stringify(out.params.arguments)).toBe(JSON.stringify(args))
        expect(out).toEqual(
          JSON.parse(
            JSON.stringify({ ...message, id: 7, params: { _meta: { progressToken: 7 }, ...message.params, name: 't' } }),
          ),
        )
      }),
    )
  })

  it('reads and exchanges texts inside params', () => {
    const text = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9,"progress":0.50}}'
    expect(paramText(frame(text), ['progressToken'])).toBe('9')
    expect(paramText(frame(text), ['_meta', 'progressToken'])).toBeUndefined()
    expect(withParams(frame(text), [{ path: ['progressToken'], json: '"abc"' }]).toString()).toBe(text.replace('9', '"abc"'))
  })
})
