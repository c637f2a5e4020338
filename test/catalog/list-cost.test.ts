import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { listTokens } from '../../src/catalog/list-cost.js'
import { createEntryCost } from '../../src/compute/entry-cost.js'
import { hasRealCatalogs, prepareArgs, realCatalogs } from '../support/catalogs.js'
import { jsonValue } from '../support/json-texts.js'
import { PLAIN, prepareHere } from '../support/prepared.js'

const TEXT = { disallowedSpecial: new Set<string>() }
const arrayTokens = (entries: readonly string[]) => countTokens(`[${entries.join(',')}]`, TEXT)
const added = (entries: readonly string[]) => listTokens(entries.map(createEntryCost()))

/** What the tokenizer treats in ways of its own. */
const ending = fc.constantFrom(
  ...[
    '🐎',
    '👩‍👩‍👧',
    'e\u0301',
    '"\u0301',
    '!\u0301\u0301',
    "it's",
    "'",
    "don'T",
    '数据库',
    '7',
    '1234',
    ' ',
    '  ',
    '"',
    '\n',
    '\n\n',
    '/',
    '\r\n/',
  ],
  ...['\t', '…', '。', '<|endoftext|>', '\\', '\ud800', '𠀀', '½', '\u00a0', 'İ', 'ǅ', 'ʰ', '`', '*/', '}]', '{"a":['],
)
const text = fc.array(fc.oneof(ending, fc.string({ unit: 'grapheme', maxLength: 8 }), fc.lorem({ maxCount: 3 })), {
  maxLength: 5,
})
const entry = fc
  .record({
    name: fc.string({ minLength: 1, maxLength: 10 }),
    description: text.map((parts) => parts.join('')),
    last: fc.option(jsonValue),
  })
  .map(({ name, description, last }) => {
    const start = `{"name":${JSON.stringify(name)},"description":${JSON.stringify(description)}`
    return last === null ? `${start}}` : `${start},"x":${last}}`
  })

describe('listTokens', () => {
  it('is what the tokenizer counts in the whole array, whatever the entries end with', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), (entries) => {
        expect(added(entries)).toBe(arrayTokens(entries))
      }),
      { numRuns: 500 },
    )
  })

  it('knows the empty list', () => {
    expect(listTokens([])).toBe(arrayTokens([]))
  })

  it('is exact for entries that are too long to be counted in one go', () => {
    const long = JSON.stringify({ name: 'long', description: 'Größe "数据库" in 12,345.67 words 🐎! '.repeat(5_000) })
    expect(added([long, long])).toBe(arrayTokens([long, long]))
  })

  it('takes no quadratic time on unbroken runs, and rates them rather too high', () => {
    for (const unit of ['a', '数', '=', '🐎', '\u0301', ' ']) {
      const long = JSON.stringify({ name: 'long', description: `${unit.repeat(100_000)} end` })
      const short = JSON.stringify({ name: 'short', description: `${unit.repeat(1_600)} end` })
      expect(added([long])).toBeGreaterThan(100)
      expect(added([short])).toBeGreaterThanOrEqual(arrayTokens([short]))
    }
  })
})

describe.skipIf(!hasRealCatalogs)('the costs of real catalogs (needs SLUICE_DATA)', () => {
  const forms = {
    'as they are': PLAIN,
    compressed: { ...PLAIN, compress: true, descriptionBudget: 120, withoutOutputSchema: true },
    'as stubs': { ...PLAIN, disclosure: true },
  }
  it.each(Object.entries(forms))(
    'add up to what the tokenizer counts, in any order, %s',
    (_form, options) => {
      const catalogs = realCatalogs().filter((_, i) => options === PLAIN || i % 4 === 0)
      const entries = catalogs.flatMap(([alias, catalog]) => {
        const { tools, resources, prompts } = prepareHere(prepareArgs(alias, catalog, options)).entries
        return [...tools, ...resources, ...prompts]
      })
      for (const order of [entries, entries.filter((_, i) => i % 7 === 0).reverse()]) {
        expect(listTokens(order)).toBe(arrayTokens(order.map(({ json }) => json)))
      }
    },
    60_000,
  )
})
