import fc from 'fast-check'
import { expect, it } from 'vitest'
import { seal, unseal } from '../../src/base/seal.js'

const KEY = Buffer.alloc(32, 7)
const AS = { name: 'one', version: 3 }

it('gives back what was sealed, from a JSON text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const content = Buffer.from(JSON.stringify(value))
      const sealed = seal(KEY, AS, content)
      expect(JSON.parse(sealed.bytes.toString())).toEqual({ version: 3, seal: sealed.seal, content: JSON.parse(`${content}`) })
      expect(unseal(KEY, AS, sealed.bytes)).toEqual({ seal: sealed.seal, content })
    }),
  )
})

it('has nothing where a bit is another, or a byte more or less', () => {
  const { bytes } = seal(KEY, AS, Buffer.from('{"a":"é"}'))
  for (let at = 0; at < bytes.length; at++) {
    expect(unseal(KEY, AS, bytes.subarray(0, at))).toBeUndefined()
    for (let bit = 1; bit < 256; bit *= 2) {
      const broken = Buffer.from(bytes)
      broken[at] = (broken[at] ?? 0) ^ bit
      expect(unseal(KEY, AS, broken)).toBeUndefined()
    }
  }
  expect(unseal(KEY, AS, Buffer.concat([bytes, Buffer.from('}')]))).toBeUndefined()
})

it('has nothing under another key, name or version', () => {
  const { bytes } = seal(KEY, AS, Buffer.from('{}'))
  expect(unseal(Buffer.alloc(32), AS, bytes)).toBeUndefined()
  expect(unseal(KEY, { ...AS, name: 'on' }, bytes)).toBeUndefined()
  expect(unseal(KEY, { ...AS, version: 4 }, bytes)).toBeUndefined()
})
