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
    const { literals, codes } = parseQuery('open "pull request" in (src/core), C++ 20.04 now.')
    expect(literals).toEqual(['pull request'])
    expect(codes).toEqual(['src/core', 'c++', '20.04'])
  })

  it('takes a query that is nothing but code to the letter', () => {
    for (const code of ['a.b[3]', '0x7f', 'src/core/index.ts', '=>', '🚀']) expect(parseQuery(code).literals).toContain(code)
    expect(parseQuery('ECONNREFUSED 10.0.0.4:5432').codes).toEqual(['10.0.0.4:5432'])
    expect(parseQuery('state-of-the-art methods').literals).toEqual([])
  })

  it('seeks an unbroken script by its grams, and by a prefix what is shorter', () => {
    expect(anyOf(parseQuery('使用API接口').terms)).toBe('"使用" OR "API" OR "接口"')
    expect(anyOf(parseQuery('猫').terms)).toBe('"猫"*')
    expect(anyOf(parseQuery('แมว').terms)).toBe('"แมว"')
  })

  it('takes contractions for the stop words they are made of', () => {
    expect(parseQuery("what's the port I've opened, don't ask").terms.map(({ word }) => word)).toEqual([
      'port',
      'opened',
      'ask',
    ])
  })

  it('has no terms for what holds no word', () => {
    for (const query of ['', '"', '🚀', '-- ++', '\0']) expect(parseQuery(query).terms).toEqual([])
  })
})
