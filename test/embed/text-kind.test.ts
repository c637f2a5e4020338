import { describe, expect, it } from 'vitest'
import { asksForMeaning, kindOf } from '../../src/embed/text-kind.js'

describe('the kind of a text', () => {
  it('tells code from prose', () => {
    expect(kindOf('export function add(a: number, b: number) {\n  return a + b\n}\n')).toBe('code')
    expect(kindOf('The boundary layer grows along the plate, as Blasius (1908) has shown; see chapter 4.')).toBe('prose')
    expect(kindOf('')).toBe('prose')
  })
})

describe('a query', () => {
  it.each(['how do I cancel it?', 'book a flight', 'weather', 'wie alt ist er', 'the useEffect hook runs twice'])(
    'asks for a meaning: %s',
    (query) => {
      expect(asksForMeaning(query, true)).toBe(true)
    },
  )

  it.each(['"ECONNREFUSED 10.0.0.4"', 'createPullRequest', 'src/core/main.ts', '0x7f', 'a.b[3]', '404', '', '?!', 'v1.2.3'])(
    'asks for the very letters: %s',
    (query) => {
      expect(asksForMeaning(query, false)).toBe(false)
    },
  )

  it('is asked of a model that knows its script only', () => {
    expect(asksForMeaning('天气预报怎么样', true)).toBe(false)
    expect(asksForMeaning('天气预报怎么样', false)).toBe(true)
  })
})
