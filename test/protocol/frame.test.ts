/** Frames: who they belong to, and other ids for them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  asMessage,
  errorFrame,
  frameFacts,
  idSpanOf,
  notificationFrame,
  onOneLine,
  parseMessage,
  rawResultFrame,
  requestFrame,
  responseIdAtEnds,
  resultFrame,
  withId,
} from '../../src/protocol/frame.js'
import { textOf } from '../../src/protocol/json-spans.js'
import { jsonValue } from '../support/json-texts.js'

const bytesOf = (text: string) => Buffer.from(text.toWellFormed(), 'utf8')
const id = fc.oneof(fc.nat().map(String), fc.constantFrom('0', '1', '"abc"', '"7"', '1.0', '-3', 'null'))
const member = fc.oneof(
  id.map((value) => `"id":${value}`),
  jsonValue.map((value) => `"result":${value}`),
  jsonValue.map((value) => `"error":${value}`),
  fc.constantFrom(
    '"method":"tools/call"',
    '"params":{"id":5}',
    '"params":{"a":"x\\",\\"id\\":9"}',
    '"x":{"result":1,"id":3}',
    '"jsonrpc":"2.0"',
  ),
)
/** Messages in every order of members, sane or not. */
const message = fc.oneof(
  fc.array(member, { maxLength: 5 }).map((members) => `{${members.join(',')}}`),
  fc.tuple(jsonValue, id).map(([value, of]) => `{"jsonrpc":"2.0","id":${of},"result":${value}}`),
  fc.tuple(jsonValue, id).map(([value, of]) => `{"jsonrpc":"2.0","result":${value},"id":${of}}`),
  fc.tuple(jsonValue, id).map(([value, of]) => `{"result":${value},"jsonrpc":"2.0","id":${of}}`),
)

describe('responseIdAtEnds', () => {
  it('says nothing, or what a walk over the whole frame says', () => {
    fc.assert(
      fc.property(message, (text) => {
        const frame = bytesOf(text)
        const found = responseIdAtEnds(frame)
        const facts = frameFacts(frame)
        const kinds = text.match(/"(?:id|method)":/g) ?? []
        // Duplicate ids in one message are no JSON-RPC; all else must agree.
        if (!found || kinds.length > 1 + (text.match(/"params"|"x":/g) ?? []).length) return
        // Nor is a message that asks and answers at once.
        const parsed = JSON.parse(text) as object
        if ('method' in parsed && ('result' in parsed || 'error' in parsed)) return
        expect(facts).toMatchObject({ kind: 'response', id: found.id, idSpan: found.idSpan })
      }),
      { numRuns: 2_000 },
    )
  })

  it('reads the id in front and at the end', () => {
    expect(responseIdAtEnds(bytesOf('{"jsonrpc":"2.0","id":42,"result":{}}'))?.id).toBe(42)
    expect(responseIdAtEnds(bytesOf('{"result":{},"jsonrpc":"2.0","id":43}'))?.id).toBe(43)
    expect(responseIdAtEnds(bytesOf('{"jsonrpc":"2.0","error":{"code":1},"id":44}'))?.id).toBe(44)
  })

  it('is not fooled by requests, strings and inner ids', () => {
    for (const text of [
      '{"jsonrpc":"2.0","method":"ping","id":1}',
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","result":{"text":",\\"id\\":7}"}}',
      '{"jsonrpc":"2.0","result":{"a":1,"id":7}}',
      '{"method":"ping","jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","result":{},"id":"7"}',
    ])
      expect(responseIdAtEnds(bytesOf(text))).toBeUndefined()
  })
})

describe('frameFacts', () => {
  it('tells requests, notifications and responses apart by their outermost members', () => {
    expect(frameFacts(requestFrame(3, 'tools/call', { id: 9, method: 'x' }))).toMatchObject({
      kind: 'request',
      id: 3,
      method: 'tools/call',
    })
    expect(frameFacts(notificationFrame('notifications/progress'))).toEqual({
      kind: 'notification',
      method: 'notifications/progress',
    })
    expect(frameFacts(resultFrame('"a"', { id: 5 }))).toMatchObject({ kind: 'response', id: 'a' })
    expect(frameFacts(errorFrame('1', { code: -1, message: 'no' }))).toMatchObject({ kind: 'response', id: 1 })
  })

  it('is undefined for what is no message', () => {
    for (const text of ['', '[]', '{}', 'listening on 3000', '{"id":1}', '{"result":1}', '{"level":"info"']) {
      expect(frameFacts(bytesOf(text))).toBeUndefined()
    }
  })

  it('ends on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        frameFacts(bytes)
        responseIdAtEnds(bytes)
        parseMessage(bytes)
      }),
    )
  })
})

describe('withId', () => {
  it('exchanges the id and not a byte else', () => {
    fc.assert(
      fc.property(jsonValue, fc.nat(), fc.nat(), (result, before, after) => {
        const value = result.toWellFormed()
        const frame = rawResultFrame(String(before), value)
        const span = idSpanOf(frame)
        expect(span && textOf(frame, span)).toBe(String(before))
        expect(span && withId(frame, span, String(after)).equals(rawResultFrame(String(after), value))).toBe(true)
        expect(rawResultFrame('1', Buffer.from(value)).equals(rawResultFrame('1', value))).toBe(true)
      }),
    )
  })
})

describe('asMessage', () => {
  it('refuses wrong shapes', () => {
    for (const value of [
      1,
      null,
      [],
      {},
      { jsonrpc: '1.0', id: 1, result: 1 },
      { jsonrpc: '2.0', method: 1 },
      { jsonrpc: '2.0', id: {}, result: 1 },
      { jsonrpc: '2.0', id: null, method: 'x' },
    ]) {
      expect(asMessage(value)).toBeUndefined()
    }
  })

  it('takes an error without an id', () => {
    expect(asMessage({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse' } })).toBeDefined()
  })
})

describe('onOneLine', () => {
  it('keeps the value and leaves no line break', () => {
    fc.assert(
      fc.property(jsonValue, (json) => {
        const before = bytesOf(json)
        const after = Buffer.from(onOneLine(Buffer.from(before)))
        expect(after.includes(0x0a) || after.includes(0x0d)).toBe(false)
        expect(JSON.parse(after.toString())).toEqual(JSON.parse(before.toString()))
      }),
    )
  })
})
