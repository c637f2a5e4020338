import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutAtWord, firstSentence, headingsOf, repeatsName } from '../../src/catalog/prose.js'

describe('cutAtWord', () => {
  it('cuts at a word end, and long words where it must', () => {
    expect(cutAtWord('one two three', 9)).toBe('one two…')
    expect(cutAtWord('one two three', 8)).toBe('one two…')
    expect(cutAtWord('one two three', 13)).toBe('one two three')
    expect(cutAtWord('one two three', 0)).toBe('one two three')
    expect(cutAtWord('数据库查询数据库查询', 5)).toBe('数据库查…')
  })

  it('keeps to its limit and splits no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 40 }), (text, max) => {
        const cut = cutAtWord(text, max)
        expect(cut.length).toBeLessThanOrEqual(max)
        expect(cut.isWellFormed()).toBe(true)
        if (cut !== text) expect(text.startsWith(cut.slice(0, -1))).toBe(true)
      }),
    )
  })
})

describe('firstSentence', () => {
  it.each([
    ['Reads v1.2 of a file. Then more.', 'Reads v1.2 of a file.'],
    ['An address, e.g. "fred". Then more.', 'An address, e.g. "fred".'],
    ['Get it.\nUse this tool', 'Get it.'],
    ['# Title\n\nThe   first\nparagraph\n\nThe second', 'The first paragraph'],
    ['## Only a title', '## Only a title'],
    ['查询数据库。然后返回。', '查询数据库。'],
    ['Is it? Yes', 'Is it?'],
    ['', ''],
    [' \n ', ''],
  ])('of %j is %j', (text, sentence) => {
    expect(firstSentence(text, 200)).toBe(sentence)
  })

  it('takes no time on texts without an end', () => {
    for (const unit of ['a', '#', '# ', ' ', '. ', '\n', 'e.g. ']) {
      expect(firstSentence(unit.repeat(1_000_000), 100).length).toBeLessThanOrEqual(100)
      expect(headingsOf(unit.repeat(1_000_000), 12, 60).length).toBeLessThanOrEqual(12)
    }
  })
})

describe('headingsOf', () => {
  it('takes Markdown headings outside code, as many and as long as wanted', () => {
    const long = 'long '.repeat(40)
    const text = ['# One #', '##Two', '```', '# code', '```', '  ### C# and F#', `#### ${long}`, '# Last'].join('\n')
    expect(headingsOf(text, 3, 20)).toEqual(['One', 'C# and F#', 'long long long long…'])
  })
})

describe('repeatsName', () => {
  it('compares words, however they are joined', () => {
    expect(repeatsName('Create Pull Request', 'create_pullRequest')).toBe(true)
    expect(repeatsName('Pull request', 'create_pull_request')).toBe(true)
    expect(repeatsName('GitHub search', 'git_hub_search')).toBe(true)
    expect(repeatsName('Create a pull request', 'create_pull_request')).toBe(false)
  })
})
