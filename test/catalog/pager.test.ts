/** Pages of a list that changes while it is read. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Pager } from '../../src/catalog/pager.js'

/** Reads all pages; the list before page `n` is `listAt(n)`. */
function readAll(listAt: (page: number) => readonly string[], size: number): string[][] {
  const pager = new Pager()
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const keys = listAt(pages.length)
    const page = pager.page(keys, { cursor, size })
    if (!page) throw new Error(`refused ${cursor}`)
    pages.push(keys.slice(page.from, page.to))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return pages
}

const letters = (text: string) => [...text]

describe('pages', () => {
  it('are together the list', () => {
    expect(readAll(() => letters('abcde'), 2)).toEqual([letters('ab'), letters('cd'), ['e']])
    expect(readAll(() => letters('abcd'), 2)).toEqual([letters('ab'), letters('cd')])
    expect(readAll(() => [], 2)).toEqual([[]])
  })

  it.each([
    ['entries before the cursor vanish', 'abcdef', 'bcdef', 'cd'],
    ['entries appear before it', 'abcdef', 'xyabcdef', 'cd'],
    ['its own entry vanishes', 'abcdef', 'acdef', 'cd'],
    ['the whole page vanishes', 'abcdef', 'cdef', 'cd'],
    ['all that was shown is exchanged', 'abcdef', 'xycdef', 'xy'],
    ['all that was left vanishes', 'abcdef', 'ab', ''],
  ])('go on after the last entry when %s', (_, before, after, second) => {
    expect(readAll((page) => letters(page === 0 ? before : after), 2)[1]).toEqual(letters(second))
  })

  it('show each entry that stays exactly once, in order, whatever comes and goes', () => {
    const universe = Array.from({ length: 16 }, (_, i) => `k${i}`)
    const staying = fc.subarray(universe)
    const comings = fc.array(fc.subarray(universe), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(staying, comings, fc.integer({ min: 1, max: 5 }), (stay, others, size) => {
        const listAt = (page: number) => {
          const more = others[Math.min(page, others.length - 1)] ?? []
          return universe.filter((key) => stay.includes(key) || more.includes(key))
        }
        const seen = readAll(listAt, size).flat()
        expect(seen.filter((key) => stay.includes(key))).toEqual(stay)
      }),
    )
  })

  it('end although a name comes twice', () => {
    expect(readAll(() => letters('abca'), 1).flat()).toEqual(letters('abca'))
  })

  it('go on at the place when nothing of what was shown is known', () => {
    expect(new Pager().page(letters('abcdef'), { cursor: 'sluice-2-gone', size: 2 })).toMatchObject({ from: 2, to: 4 })
    expect(new Pager().page(letters('ab'), { cursor: 'sluice-9-gone', size: 2 })).toEqual({ from: 2, to: 2 })
  })

  it('are all that is left where no size is asked for', () => {
    expect(new Pager().page(letters('abc'), { cursor: 'sluice-0-a', size: undefined })).toEqual({ from: 1, to: 3 })
  })

  it('keep names with any character in their cursors', () => {
    const keys = ['file:///a-b c?x=1#-', 'sluice-0-x', 'line\nbreak', '\ud800', '日本']
    expect(readAll(() => keys, 1).flat()).toEqual(keys)
  })

  it('are refused for cursors that were never given', () => {
    for (const cursor of ['', 'sluice-6', 'sluice--1-a', '2', 'sluice-x-a', 'sluice-1-', 'xsluice-1-a']) {
      expect(new Pager().page(letters('abc'), { cursor, size: 2 })).toBeUndefined()
    }
  })
})
