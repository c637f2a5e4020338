/** The nearest known word to a misspelt one. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { areNear, byNearness, editDistance, nearest } from '../../src/base/nearest.js'

const word = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', 'c') })

describe('editDistance', () => {
  it('counts insertions, deletions, replacements and swaps of neighbours', () => {
    expect(editDistance('maxTool', 'maxTools')).toBe(1)
    expect(editDistance('naming', 'nmaing')).toBe(1)
    expect(editDistance('kitten', 'sitting')).toBe(3)
    expect(editDistance('', 'abc')).toBe(3)
  })

  it('is symmetric, zero only for equal words, and at most the longer length', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b)
        expect(distance).toBe(editDistance(b, a))
        expect(distance === 0).toBe(a === b)
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length))
      }),
    )
  })
})

describe('nearest', () => {
  it('finds the word that was meant', () => {
    expect(nearest('maxTool', ['mode', 'maxTools', 'pins'])).toBe('maxTools')
    expect(nearest('thresholdbytes', ['thresholdBytes', 'threshold'])).toBe('thresholdBytes')
  })

  it('is undefined when nothing is near', () => {
    expect(nearest('banana', ['mode', 'pins'])).toBeUndefined()
    expect(nearest('x', [])).toBeUndefined()
  })
})

describe('areNear', () => {
  it.each([
    ['ekho', 'echo', true],
    ['Echo', 'echo', true],
    ['create_isue', 'create_issue', true],
    ['issue', 'create_issue', true],
    ['create_issue_now', 'create_issue', true],
    ['nope', 'die', false],
    ['run', 'die', false],
    ['dog', 'die', false],
    ['x', 'exit', false],
    ['x', 'y', false],
    ['', 'die', false],
  ])('%s and %s: %s', (one, other, expected) => {
    expect(areNear(one, other)).toBe(expected)
    expect(areNear(other, one)).toBe(expected)
  })
})

describe('byNearness', () => {
  it('keeps every word, the nearest first', () => {
    expect(byNearness('github', ['slack', 'github__search', 'gitlab'])[0]).toBe('github__search')
    fc.assert(fc.property(word, fc.array(word), (wanted, known) => byNearness(wanted, known).length === known.length))
  })
})
