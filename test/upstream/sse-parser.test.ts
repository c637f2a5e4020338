import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SseParser } from '../../src/upstream/sse-parser.js'

interface Read {
  events: { type: string; data: string }[]
  tooLong: string[]
  lastEventId: string | undefined
  retryMs: number | undefined
}

function parse(chunks: readonly Uint8Array[], maxBytes = 1 << 20): Read {
  const events: Read['events'] = []
  const tooLong: string[] = []
  const parser = new SseParser(maxBytes, {
    event: ({ type, data }) => events.push({ type, data: Buffer.from(data).toString('utf8') }),
    tooLong: (head) => tooLong.push(Buffer.from(head).toString('utf8', 0, 8)),
  })
  for (const chunk of chunks) parser.push(chunk)
  return { events, tooLong, lastEventId: parser.lastEventId, retryMs: parser.retryMs }
}

const parseText = (text: string, maxBytes?: number) => parse([Buffer.from(text)], maxBytes)

const SAMPLE =
  '\ufeff: hello\nid: 7\nevent: endpoint\ndata: /a?b=c\n\nretry: 250\r\ndata:one\r\ndata:  two\r\n\r\rdata: {"é":"…😀"}\rid: 8\r\rid: 9\ndata:\n\ndata\n\ndata: cut'

describe('SseParser', () => {
  it('reads fields, comments, line breaks of each kind and a byte order mark', () => {
    expect(parseText(SAMPLE)).toEqual({
      events: [
        { type: 'endpoint', data: '/a?b=c' },
        { type: 'message', data: 'one\n two' },
        { type: 'message', data: '{"é":"…😀"}' },
        { type: 'message', data: '' },
        { type: 'message', data: '' },
      ],
      tooLong: [],
      lastEventId: '9',
      retryMs: 250,
    })
  })

  it('gives the same events when the stream is split at any byte', () => {
    const bytes = Buffer.from(SAMPLE)
    const whole = parse([bytes])
    for (let at = 0; at <= bytes.length; at++) expect(parse([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
    expect(parse([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
  })

  it('gives the same events however any stream is cut into chunks', () => {
    const piece = fc.constantFrom(
      'data',
      ':',
      ' ',
      '\n',
      '\r',
      '\r\n',
      'id',
      'retry',
      'event',
      '12',
      'x',
      '\ufeff',
      'é',
      '\0',
      '0123456789',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }), (pieces, sizes) => {
        const bytes = Buffer.from(pieces.join(''))
        const chunks: Uint8Array[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] || (turn % 7) + 1
          chunks.push(new Uint8Array(bytes.subarray(at, at + size)))
          at += size
        }
        expect(parse(chunks, 16)).toEqual(parse([bytes], 16))
      }),
      { numRuns: 2000 },
    )
  })

  it('takes an event id only when its event is complete, and none with a NUL', () => {
    expect(parseText('id: 1\ndata: x\n\nid: 2\ndata: y').lastEventId).toBe('1')
    expect(parseText('id: 1\n\nid: 2\0\n\n').lastEventId).toBe('1')
    expect(parseText('id: 1\n\nid\n\n').lastEventId).toBe('')
    expect(parseText('retry: soon\n\n').retryMs).toBeUndefined()
  })

  it('skips an event above the limit, keeps its id, and reads on', () => {
    const read = parseText(`id: 1\ndata: ${'x'.repeat(200)}\ndata: y\n\ndata: next\n\n`, 100)
    expect(read).toMatchObject({ events: [{ data: 'next' }], tooLong: ['xxxxxxxx'], lastEventId: '1' })
    expect(parseText(`data: ${'x'.repeat(60)}\ndata: ${'y'.repeat(60)}\n\ndata: z\n\n`, 100).events).toEqual([
      { type: 'message', data: 'z' },
    ])
    expect(parseText(`data: ${'x'.repeat(100)}\n\n`, 100).tooLong).toEqual([])
    expect(parseText(`data: ${'x'.repeat(101)}\n\n`, 100).tooLong).toHaveLength(1)
  })

  it('gives large data a buffer that nobody else has', () => {
    const found: Uint8Array[] = []
    const parser = new SseParser(1 << 22, { event: ({ data }) => found.push(data), tooLong: () => expect.unreachable() })
    const chunk = Buffer.from(`data: ${'a'.repeat(100_000)}\n\ndata: ${'b'.repeat(50_000)}\ndata: ${'c'.repeat(50_000)}\n\n`)
    parser.push(chunk)
    parser.push(Buffer.from(`data: ${'d'.repeat(70_000)}`))
    parser.push(Buffer.from('e\n\n'))
    expect(found.map((data) => data.length)).toEqual([100_000, 100_001, 70_001])
    expect(new Set([chunk.buffer, ...found.map((data) => data.buffer)]).size).toBe(4)
  })
})
