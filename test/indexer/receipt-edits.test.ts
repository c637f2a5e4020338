import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ingestFrame } from '../../src/indexer/ingest.js'
import { bytesOf } from './session-harness.js'

const LONG = 'a line that is long enough to count\n'.repeat(60)

const block = fc.oneof(
  fc.string({ maxLength: 5 }).map((more) => ({ type: 'text', text: `${more}${LONG}`, annotations: { priority: 1 } })),
  fc.constant({ type: 'text', text: '' }),
  fc.constant({ type: 'image', data: 'AA==', mimeType: 'image/png' }),
  fc.string({ maxLength: 5 }).map((uri) => ({ type: 'resource', resource: { uri, text: LONG } })),
  fc.constant({ type: 'resource', resource: { uri: 'b', blob: 'AA==' } }),
  fc.constant({ type: 'of tomorrow', text: LONG }),
)

const result = fc.record(
  {
    content: fc.array(block, { maxLength: 5 }),
    structuredContent: fc.dictionary(fc.string({ maxLength: 3 }), fc.constant(LONG), { maxKeys: 3 }),
    isError: fc.boolean(),
    _meta: fc.record({ content: fc.constant([]), structuredContent: fc.constant(1) }),
  },
  { requiredKeys: [] },
)

describe('a receipt frame', () => {
  it('differs from the frame in what was indexed alone, whatever the spacing and order', () => {
    fc.assert(
      fc.property(
        result,
        fc.constantFrom(undefined, 1, '\t'),
        fc.boolean(),
        fc.boolean(),
        (value, space, idFirst, reversed) => {
          const ordered = reversed ? Object.fromEntries(Object.entries(value).reverse()) : value
          const message = idFirst ? { jsonrpc: '2.0', id: 'x', result: ordered } : { result: ordered, jsonrpc: '2.0', id: 'x' }
          const frame = bytesOf(JSON.stringify(message, null, space))
          const names = { search: 'S', read: 'R', call: 'IndexCall' }
          const got = ingestFrame({ frame, kind: 'tool', label: 'l:1', thresholdBytes: 0, idJson: '5' }, names)
          if (got.kind === 'invalid') throw new Error(got.reason)
          const sent = JSON.parse(got.frame.toString())
          expect(sent).toEqual({
            jsonrpc: '2.0',
            id: 5,
            result: got.kind === 'pass' ? ordered : withReceipt(ordered, receiptOf(sent)),
          })
        },
      ),
      { numRuns: 500 },
    )
  })
})

type Content = { type: string; text?: string; resource?: { text?: string } }

/** The same by building a new object instead of editing bytes. */
function withReceipt(value: { content?: readonly object[]; structuredContent?: object }, receipt: string): object {
  const { structuredContent: _, content, ...rest } = value
  const isText = ({ type, text, resource }: Content) =>
    (type === 'text' && typeof text === 'string') || (type === 'resource' && typeof resource?.text === 'string')
  const blocks = (content ?? []) as Content[]
  const first = blocks.findIndex(isText)
  const kept = blocks.flatMap((one, n): object[] => {
    if (!isText(one)) return [one]
    if (n !== first) return []
    return [one.type === 'text' ? { ...one, text: receipt } : { type: 'text', text: receipt }]
  })
  return { ...rest, content: first < 0 ? [{ type: 'text', text: receipt }, ...kept] : kept }
}

function receiptOf(message: { result: { content: Content[] } }): string {
  const found = message.result.content.find(({ text }) => text?.startsWith('[Response compressed — '))
  return found?.text ?? ''
}
