/** The stream of bytes becomes the same lines however it is chunked. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FrameSplitter } from '../../src/protocol/frame-splitter.js'

type Seen = { line: string } | { tooLong: number; head: string }

function split(chunks: readonly Uint8Array[], maxBytes = 1_000_000): Seen[] {
  const seen: Seen[] = []
  const splitter = new FrameSplitter(maxBytes, {
    line: (bytes) => seen.push({ line: Buffer.from(bytes).toString('latin1') }),
    tooLong: (head, bytes) => seen.push({ tooLong: bytes, head: Buffer.from(head).toString('latin1') }),
  })
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return seen
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end))
}

const stream = fc
  .array(fc.constantFrom('a', 'bc', '\n', '\r\n', '\r', '😀', 'x'.repeat(9)), { maxLength: 30 })
  .map((parts) => Buffer.from(parts.join('')))

describe('FrameSplitter', () => {
  it('gives the lines of the whole stream, whatever the chunking', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 8 }), (bytes, places) => {
        const lines = bytes
          .toString('latin1')
          .split('\n')
          .map((line) => line.replace(/\r$/, ''))
          .filter((line) => line !== '')
        expect(split(cut(bytes, places))).toEqual(lines.map((line) => ({ line })))
      }),
    )
  })

  it('drops lines over the limit, and only those, whatever the chunking', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 8 }), fc.integer({ min: 1, max: 12 }), (bytes, places, max) => {
        expect(split(cut(bytes, places), max)).toEqual(split([bytes], max))
        for (const seen of split([bytes], max)) if ('line' in seen) expect(seen.line.length).toBeLessThanOrEqual(max)
      }),
    )
  })

  it('reports the size and the head of a line that is too long, and goes on behind it', () => {
    const seen = split(
      [Buffer.from('ok\n'), Buffer.alloc(90_000, 'x'), Buffer.alloc(90_000, 'y'), Buffer.from('\nnext\n')],
      100_000,
    )
    expect(seen).toEqual([{ line: 'ok' }, { tooLong: 180_000, head: 'x'.repeat(65_536) }, { line: 'next' }])
  })

  it('gives a large line a buffer of its own', () => {
    const chunk = Buffer.concat([Buffer.alloc(70_000, 'x'), Buffer.from('\nsmall\n')])
    const lines: Uint8Array[] = []
    const splitter = new FrameSplitter(1_000_000, { line: (bytes) => lines.push(bytes), tooLong: () => expect.unreachable() })
    splitter.push(chunk)
    expect(lines[0]?.length).toBe(70_000)
    expect(lines[0]?.buffer).not.toBe(chunk.buffer)
    expect(lines[0]?.buffer.byteLength).toBe(70_000)
  })
})
