/** The words inside identifiers. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { identifierWords, splitIdentifier } from '../../src/text/words.js'

describe('identifierWords', () => {
  it.each([
    ['createPullRequest', 'create Pull Request'],
    ['HTTPServer2', 'HTTP Server 2'],
    ['XMLHttpRequest', 'XML Http Request'],
    ['getUserByID', 'get User By ID'],
    ['call listURLs now', 'list URLs'],
    ['utf8Length', 'utf 8 Length'],
    ['größeÄndern', 'größe Ändern'],
    ['"\\nThroughout the"', ''],
    ['the createPullRequest and createPullRequest, deleteIssue', 'create Pull Request delete Issue'],
  ])('splits %s', (text, words) => {
    expect(identifierWords(text)).toBe(words)
  })

  it('is empty for plain words, snake case and what looks random', () => {
    for (const text of [
      '',
      'The Plain words of THE text',
      'snake_case_name',
      '漢字',
      '3a5a5f7f-3f3d-4471-b883-9f8ab80cd1a7',
      'tblP1F8hoChkS253A',
      '2024-05-01T10:00:00Z',
      'aB'.repeat(200),
    ])
      expect(identifierWords(text), text).toBe('')
  })

  it('keeps the letters of each identifier in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Get', 'User', 'HTTP', 'by', 'Name', 'url', '42'), { minLength: 1, maxLength: 6 }),
        (parts) => {
          const words = identifierWords(`x ${parts.join('')} y`)
          if (words !== '') expect(words.replaceAll(' ', '')).toBe(parts.join(''))
        },
      ),
    )
  })
})

describe('splitIdentifier', () => {
  it.each([
    ['createPullRequest', ['create', 'Pull', 'Request']],
    ['create_pull_request', ['create', 'pull', 'request']],
    ['create-pull.request/now', ['create', 'pull', 'request', 'now']],
    ['HTTPServer2', ['HTTP', 'Server', '2']],
    ['word', ['word']],
    ['C++', ['C']],
    ['漢字かな', ['漢字かな']],
    ['ПолучитьИмя', ['Получить', 'Имя']],
    ['b8837f3d', ['b8837f3d']],
    ['--', []],
  ])('splits %s', (word, parts) => {
    expect(splitIdentifier(word)).toEqual(parts)
  })

  it('splits the words of a query as the words of a text are split', () => {
    for (const word of ['createPullRequest', 'HTTPServer2', 'utf8Length', 'listURLs'])
      expect(splitIdentifier(word).join(' ')).toBe(identifierWords(word))
  })
})
