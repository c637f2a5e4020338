/** What is data and what is text. */
import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base64Kind } from '../../src/text/base64.js'
import { response, responses } from '../support/responses.js'

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(1_000)])

describe('base64Kind', () => {
  it('reads type and size off a data URI', () => {
    expect(base64Kind(`data:image/png;base64,${PNG.toString('base64')}`)).toEqual({ mimeType: 'image/png', bytes: PNG.length })
    expect(base64Kind('  data:text/plain;charset=utf-8;base64,SGVsbG8=\n')).toEqual({ mimeType: 'text/plain', bytes: 5 })
    expect(base64Kind('data:;base64,SGVsbG8=')).toEqual({ mimeType: undefined, bytes: 5 })
    expect(base64Kind('data:image/png;base64,not base64 at all')).toBeUndefined()
  })

  it.each([
    ['image/png', PNG],
    ['image/jpeg', Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(999)])],
    ['image/gif', Buffer.from(`GIF89a${'\0'.repeat(800)}`)],
    ['image/webp', Buffer.from(`RIFF\0\0\0\0WEBP${'\0'.repeat(800)}`)],
    ['audio/wav', Buffer.from(`RIFF\0\0\0\0WAVE${'\0'.repeat(800)}`)],
    ['application/pdf', Buffer.from(`%PDF-1.7\n${'x'.repeat(800)}`)],
    ['application/zip', Buffer.from(`PK\u0003\u0004${'\0'.repeat(800)}`)],
    ['application/gzip', Buffer.concat([Buffer.from('1f8b08', 'hex'), Buffer.alloc(800)])],
    ['audio/mpeg', Buffer.from(`ID3${'\0'.repeat(800)}`)],
  ])('knows %s by its first bytes', (mimeType, data) => {
    expect(base64Kind(data.toString('base64'))).toEqual({ mimeType, bytes: data.length })
  })

  it('knows random data in every encoding, with its size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 3_000 }), fc.constantFrom('base64', 'base64url'), (size, encoding) => {
        const text = randomBytes(size).toString(encoding as 'base64')
        expect(base64Kind(`\n${text}\n`)?.bytes).toBe(size)
      }),
    )
  })

  it('knows data in lines, and in PEM armour', () => {
    const data = randomBytes(1_000)
    for (const [width, lineBreak] of [
      [76, '\r\n'],
      [64, '\n'],
    ] as const) {
      const lines = (data.toString('base64').match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(lineBreak)
      expect(base64Kind(lines)?.bytes).toBe(1_000)
      expect(base64Kind(`-----BEGIN CERTIFICATE-----${lineBreak}${lines}${lineBreak}-----END CERTIFICATE-----\n`)).toEqual({
        mimeType: 'application/x-pem-file',
        bytes: 1_000,
      })
    }
    const exact = (
      randomBytes(570)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).join('\n')
    expect(base64Kind(exact)?.bytes).toBe(570)
  })

  it('names text inside base64', () => {
    expect(base64Kind(Buffer.from(JSON.stringify({ data: 'Some Words 123 '.repeat(60) })).toString('base64'))?.mimeType).toBe(
      'application/json',
    )
  })

  it('sees data with long runs of zero bytes in it', () => {
    const sparse = Buffer.concat([randomBytes(300), Buffer.alloc(9000), randomBytes(600), Buffer.alloc(9000)])
    expect(base64Kind(sparse.toString('base64'))).toEqual({ mimeType: undefined, bytes: sparse.length })
    expect(base64Kind(Buffer.alloc(30_000).toString('base64'))?.bytes).toBe(30_000)
    const executable = Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(2000), randomBytes(2000)])
    expect(base64Kind(executable.toString('base64'))?.mimeType).toBe('application/x-executable')
  })

  it('takes no text for data', () => {
    const hashes = Array.from({ length: 50 }, (_, i) => createHash('sha256').update(String(i)).digest('hex'))
    const texts = [
      '',
      ' ',
      'short',
      'a'.repeat(2_000),
      'A'.repeat(2_000),
      'ACGT'.repeat(500),
      'ACGTNacgtn'.repeat(300),
      '0123456789'.repeat(100),
      hashes.join(''),
      hashes.join('').toUpperCase(),
      hashes.join('\n'),
      hashes.map((hash) => Buffer.from(hash, 'hex').toString('base64')).join('\n'),
      'loremipsumdolorsitamet'.repeat(50),
      'createPullRequestAndMergeIt'.repeat(40),
      'src/text/Base64/index2/'.repeat(50),
      `!function(t,n){return t+n}(${'a1B2'.repeat(300)})`,
      `${randomBytes(600).toString('base64')} and words`,
      '{"a":1}',
    ]
    for (const text of texts) expect(base64Kind(text), text.slice(0, 40)).toBeUndefined()
  })

  it.skipIf(responses.length === 0)('takes no real response for data, but its image', () => {
    for (const name of responses) expect(base64Kind(response(name)), name).toBeUndefined()
  })
})
