import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutMiddle } from '../../../src/text/result/cut-middle.js'

const cut = (text: string, maxChars: number) => cutMiddle(text, maxChars, ({ missing, total }) => `<${missing}/${total}>`)

describe('cutMiddle', () => {
  it('keeps 70 % of the limit from the head and 30 % from the tail', () => {
    expect(cut('h'.repeat(500) + 't'.repeat(500), 100)).toBe(`${'h'.repeat(70)}\n<900/1000>\n${'t'.repeat(30)}`)
  })

  it('leaves a text within the limit, and one that a marker would make longer', () => {
    expect(cut('x'.repeat(100), 100)).toBeUndefined()
    expect(cut('x'.repeat(105), 100)).toBeUndefined()
    expect(cut('', 1)).toBeUndefined()
  })

  it('puts no second line break behind one that is there', () => {
    expect(cut(`${'h'.repeat(69)}\n${'t'.repeat(300)}`, 100)).toBe(`${'h'.repeat(69)}\n<270/370>\n${'t'.repeat(30)}`)
  })

  it('splits no code point and no escape, keeps no more than the limit, and counts what is missing', () => {
    const piece = fc.oneof(
      fc.constantFrom('😀', '\\n', '\\ud83d\\ude00', '\\\\', '漢', 'a', '\n'),
      fc.string({ unit: 'binary' }),
    )
    const long = fc.array(piece, { minLength: 40, maxLength: 300 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(long, fc.integer({ min: 1, max: 200 }), (text, maxChars) => {
        const got = cut(text, maxChars)
        if (got === undefined) return
        const marker = got.lastIndexOf(`/${text.length}>`)
        const missing = Number(/<(\d+)$/.exec(got.slice(0, marker))?.[1])
        const kept = text.length - missing
        expect(kept).toBeLessThanOrEqual(maxChars)
        const at = got.lastIndexOf(`<${missing}/${text.length}>`)
        const tail = got.slice(at + `<${missing}/${text.length}>`.length + 1)
        const head = text.slice(0, kept - tail.length)
        expect([head, `${head}\n`]).toContain(got.slice(0, at))
        expect(text.endsWith(tail)).toBe(true)
        if (text.isWellFormed()) expect(head.isWellFormed() && tail.isWellFormed()).toBe(true)
        expect(got.length).toBeLessThan(text.length)
      }),
    )
  })
})
