// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of the configuration file
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expandStrings } from '../../src/config/expand.js'

const VARIABLES = new Map([
  ['A', 'one'],
  ['EMPTY', ''],
  ['NESTED', '${A}'],
  ['DOLLARS', '$& $1 $$'],
])

function expand(text: string) {
  return expandStrings(text, (name) => VARIABLES.get(name))
}

describe('expandStrings', () => {
  it.each([
    ['${A}', 'one'],
    ['${env:A}', 'one'],
    ['<${A}|${A}>', '<one|one>'],
    ['${A:-x}', 'one'],
    ['${B:-x}', 'x'],
    ['${B:-}', ''],
    ['${env:B:-http://h:1/}', 'http://h:1/'],
    ['${EMPTY}', ''],
    ['${EMPTY:-x}', 'x'],
    ['${NESTED}', '${A}'],
    ['${DOLLARS}', '$& $1 $$'],
    ['$$', '$$'],
    ['$A {A} ${} ${x%.*} $(A)', '$A {A} ${} ${x%.*} $(A)'],
  ])('makes of %j %j', (text, expected) => {
    expect(expand(text)).toMatchObject({ value: expected, faults: [] })
  })

  it.each([
    ['${B}', 'the variable B is not set; set it, or write ${B:-default}'],
    ['${env:B}', 'the variable B is not set'],
    ['${constructor}', 'the variable constructor is not set'],
    ['${input:token}', 'asks an editor for an input'],
    ['${workspace:x}', '${workspace:…} is not supported'],
    ['${B:-${A}}', 'has one reference inside another'],
  ])('has a fault in %j', (text, message) => {
    expect(expand(text).faults).toEqual([{ path: [], message: expect.stringContaining(message) }])
  })

  it('names the field, at any depth, and leaves keys alone', () => {
    const { value, faults } = expandStrings({ '${A}': [{ b: '${B}' }, '${A}', 5, null] }, (name) => VARIABLES.get(name))
    expect(value).toEqual({ '${A}': [{ b: '${B}' }, 'one', 5, null] })
    expect(faults.map(({ path }) => path)).toEqual([['${A}', 0, 'b']])
  })

  it('never tells a value in a fault', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{12,20}$/)
    fc.assert(
      fc.property(
        secret,
        fc.array(fc.constantFrom('${S}', '${S:-x}', '${env:S}', '${U}', '${input:a}', '${S:-${U}}', '-'), { maxLength: 8 }),
        (value, parts) => {
          const { faults } = expandStrings([parts.join(''), ...parts], (name) => (name === 'S' ? value : undefined))
          expect(JSON.stringify(faults)).not.toContain(value)
        },
      ),
    )
  })
})
