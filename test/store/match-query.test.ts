import { describe, expect, it } from 'vitest'
import { anyOf, parseQuery } from '../../src/store/match-query.js'

describe('parseQuery', () => {
  it('quotes every term', () => {
    expect(anyOf(parseQuery('x* NEAR(b) "c OR d').terms)).toBe('"x*" OR "NEAR(b)" OR "c" OR "d"')
  })

  it('adds the words of an identifier as a phrase', () => {
    expect(parseQuery('createPullRequest').terms).toEqual([
      {
        word: 'createpullrequest',
        match: '("createPullRequest" OR "create Pull Request")',
        parts: ['create', 'Pull', 'Request'],
      },
    ])
  })

  it('leaves out stop words unless nothing else is left', () => {
    expect(parseQuery('how to parse the config').terms.map(({ word }) => word)).toEqual(['parse', 'config'])
    expect(parseQuery('To be or not to be').terms.map(({ word }) => word)).toEqual(['to', 'be', 'or', 'not'])
  })

  it('takes quoted phrases and code-like words for literal evidence', () => {
    expect(parseQuery('open "pull request" in (src/core), C++ 20.04 now.').literals).toEqual([
      'pull request',
      'src/core',
      'c++',
      '20.04',
    ])
  })

  it('has no terms for what holds no word', () => {
    for (const query of ['', '"', '🚀', '-- ++', '\0']) expect(parseQuery(query).terms).toEqual([])
  })
})
