import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSessionApi } from '../../src/indexer/create-session-api.js'
import type { SessionApi } from '../../src/protocol/session-api.js'
import { openSession, textFrame } from './session-harness.js'

const FILLER = Array.from({ length: 900 }, (_, n) => `Paragraph ${n} of ordinary prose about rivers and weather.`).join('\n')

/** A text of filler with these lines put in, far from each other. */
function textWith(...lines: string[]): string {
  return `${FILLER}\n${lines.map((line) => `${line}\n${FILLER}`).join('\n')}`
}

describe('IndexSearch', () => {
  it('shows the lines around a match, numbered as IndexRead numbers them', async () => {
    const session = await openSession()
    await session.put(textWith('The payment gateway timed out after thirty seconds.'), 'logs__tail:1')
    const { text, isError } = await session.search('payment gateway')
    expect(isError).toBe(false)
    expect(text).toMatch(/^## 1\. payment gateway\n\[1\.1\] logs__tail:1 —.* lines \d+-\d+\n/)
    expect(text).toContain('901\tThe payment gateway timed out after thirty seconds.')
    expect(text.split('\n').length).toBeLessThan(120)
  })

  it('finds an identifier by each of its spellings', async () => {
    const session = await openSession()
    await session.put(textWith('call createPullRequest(repo) first'), 'a:1')
    await session.put(textWith('call create_pull_request(repo) first'), 'b:1')
    await session.put(textWith('to create pull request number four'), 'c:1')
    for (const query of ['createPullRequest', 'create_pull_request', 'create pull request']) {
      const { text } = await session.search(query, undefined, 3)
      for (const label of ['a:1', 'b:1', 'c:1']) expect(text, `${label} for ${query}`).toContain(`] ${label} `)
    }
  })

  it('puts what holds the very words in front', async () => {
    const session = await openSession()
    await session.put(textWith('a core of src is here', 'open src/core first', 'src src src core core core'), 'a:1')
    expect((await session.search('src/core', undefined, 1)).text).toContain('open src/core first')
  })

  it('says that nothing was found, and corrects a spelling where that helps', async () => {
    const session = await openSession()
    await session.put(textWith('The deployment configuration was rolled back.'))
    expect((await session.search('zzyzx')).text).toMatch(/^## 1\. zzyzx\nNothing found/)
    expect((await session.search('configurashun')).text).not.toContain('[1.1]')
    expect((await session.search('deploymnet')).text).toContain('did you mean "deployment" for "deploymnet"?')
  })

  it('refers to a chunk that an earlier query has shown', async () => {
    const session = await openSession()
    await session.put(textWith('The quokka is a marsupial.'))
    const { text } = await session.search(['quokka', 'marsupial'])
    expect(text).toMatch(/\n\n?## 2\. marsupial\n\[2\.1\] a__b:1 —.* lines \d+-\d+: shown above as \[1\.1\]$/)
  })

  it('stays below 48 KB and names the hits that do not fit', async () => {
    const session = await openSession()
    await session.put(Array.from({ length: 2000 }, (_, n) => `river ${n} ${'漢字 flows '.repeat(20)}`).join('\n'))
    const queries = Array.from({ length: 40 }, (_, n) => `river ${n}`)
    const { text } = await session.search(queries, undefined, 20)
    expect(Buffer.byteLength(text)).toBeLessThan(49_152)
    expect(Buffer.byteLength(text)).toBeGreaterThan(40_000)
    expect(text).toMatch(/^\[30\.1\] a__b:1/m)
    expect(text).toMatch(/8 more queries were not run/)
  })

  it('searches the sources whose label starts with source', async () => {
    const session = await openSession()
    await session.put(textWith('a quokka in Perth'), 'zoo__get:1')
    await session.put(textWith('a quokka on an island'), 'zoo__get:12')
    await session.put(textWith('a quokka at night'), 'web__fetch:1')
    const { text } = await session.search('quokka', 'zoo__get:')
    expect(text).toContain('zoo__get:1 ')
    expect(text).toContain('zoo__get:12 ')
    expect(text).not.toContain('web__fetch:1')
    expect(await session.search('quokka', 'zo__get:')).toEqual({
      text: 'No source has a label that starts with "zo__get:". Indexed labels:\n- zoo__get:1\n- zoo__get:12\n- web__fetch:1',
      isError: true,
      shown: [],
    })
  })

  it('says that nothing is indexed yet', async () => {
    const session = await openSession()
    const text = expect.stringMatching(/^Nothing is indexed yet/)
    expect(await session.search('anything')).toEqual({ isError: false, text, shown: [] })
    expect(await session.search('anything', 'a__b:')).toEqual({ isError: true, text, shown: [] })
  })

  it('says which sources are not searchable yet when it may not wait', async () => {
    const session = await openSession()
    await session.put(FILLER.repeat(40), 'slow:1')
    const { text } = await session.api.search({ session: 's1', queries: ['rivers'], limit: 5, searchWaitMs: 0 })
    expect(text).toContain('"slow:1" is not searchable yet')
    expect((await session.search('rivers')).text).not.toContain('not searchable')
    expect(await session.api.status({})).toMatchObject({ sources: 1, pending: 0 })
  })

  it('finds words in the middle of a single line of a megabyte', async () => {
    const session = await openSession()
    await session.put(`${'lorem ipsum '.repeat(50_000)}quokka ${'dolor sit '.repeat(50_000)}`)
    const { text } = await session.search('quokka')
    expect(text).toMatch(/^1-301\t.*quokka/m)
    expect(Buffer.byteLength(text)).toBeLessThan(8000)
    expect((await session.read('a__b:1', '1-301', 1, 4000)).text).toMatch(/^1-301\t.*quokka/)
  })

  it('counts the rarest words of a long query', async () => {
    const session = await openSession()
    await session.put(textWith('The quokka is a marsupial.'))
    const words = FILLER.repeat(2).replaceAll('\n', ' ')
    expect((await session.search(`${words} quokka ${words}`, undefined, 20)).text).toContain('The quokka is')
  })
})

const HELD = "C++ in src/core by @nasa, NOT what's expected: -x 🚀 20.04"

describe('any query', () => {
  let api: SessionApi
  const hostile = [
    'C++',
    'src/core',
    '@nasa',
    'NOT',
    '"',
    "what's?",
    '-x',
    '🚀',
    '20.04',
    '""',
    '"a',
    'a"b"c',
    '*',
    'a*',
    '^a',
    'a:b',
    '{',
    '(',
    ')',
    'body : x',
    'NEAR(a b)',
    'a AND',
    'OR',
    '\0',
    '\ud800',
    "'",
    '--',
    ';',
    '\\',
    '%',
    'a\nb',
    '',
    ' ',
    '漢',
    '한국어',
    'rowid',
    '+',
    '"" ""',
  ]

  beforeAll(async () => {
    api = createSessionApi()
    await api.open({
      session: 'q',
      maxIndexBytes: 2 ** 28,
      names: { search: 'S', read: 'R', call: 'IndexCall' },
      lostLabels: [],
    })
    const frame = textFrame(`${FILLER.slice(0, 4000)}\n${HELD}\n${FILLER.slice(0, 4000)}`)
    await api.ingest({ session: 'q', frame, kind: 'tool', label: 'a:1', thresholdBytes: 0, idJson: '1' })
  })

  afterAll(() => api.close({ session: 'q' }))

  const ask = (queries: string[]) => api.search({ session: 'q', queries, limit: 1, searchWaitMs: 20_000 })

  it.each(['C++', 'src/core', '@nasa', "what's?", '20.04', 'NOT'])('%s finds what holds it', async (query) => {
    expect((await ask([query])).text).toContain('C++ in src/core by @nasa')
  })

  it('is answered without an error', async () => {
    const word = fc.oneof(fc.constantFrom(...hostile), fc.string({ maxLength: 8 }), fc.string({ unit: 'binary', maxLength: 8 }))
    const query = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))
    await fc.assert(
      fc.asyncProperty(fc.array(query, { minLength: 32, maxLength: 32 }), async (queries) => {
        expect((await ask(queries)).isError).toBe(false)
      }),
      { numRuns: 160 },
    )
  })

  it('may be very long', async () => {
    const many = Array.from({ length: 5000 }, (_, n) => `word${n}`).join(' ')
    for (const query of [
      many,
      'x'.repeat(1_000_000),
      'a/'.repeat(500_000),
      '"'.repeat(100_000),
      'river '.repeat(5000),
      '('.repeat(9999),
    ]) {
      expect((await ask([query])).isError).toBe(false)
    }
  })
})
