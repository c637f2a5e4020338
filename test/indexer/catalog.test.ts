import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CatalogDoc, DocKind } from '../../src/protocol/catalog-api.js'
import { type Harness, openSession } from './session-harness.js'

interface Given {
  readonly description?: string
  readonly parameters?: string
  readonly title?: string
  readonly kind?: DocKind
  readonly exposed?: string
}

function doc(alias: string, name: string, given: Given = {}): CatalogDoc {
  const { description = '', parameters = '', title = '', kind = 'tool' } = given
  const label = kind === 'server' ? `mcp/${alias}` : `mcp/${alias}/${kind}/${name}`
  const text = [name, description, '', 'Definition:', '{}'].join('\n')
  const exposed = given.exposed ?? `${alias}__${name}`
  return { label, kind, exposed, text, headLines: 2, fields: { name, title, description, parameters, server: alias } }
}

async function put(session: Harness, alias: string, docs: readonly CatalogDoc[]): Promise<void> {
  const bytes = Buffer.from(docs.length === 0 ? '' : JSON.stringify(docs))
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  await session.api.catalog({ session: 's1', alias, docs: shared })
}

function ask(session: Harness, query: string, more: { source?: string; deferring?: boolean; preferred?: string[] } = {}) {
  return session.api.search({ session: 's1', queries: [query], limit: 5, searchWaitMs: 20_000, ...more })
}

const ISSUES = [
  doc('github', 'create_issue', {
    description: 'Opens a new issue in a repository',
    title: 'New issue',
    parameters: 'owner repo body',
  }),
  doc('github', 'list_issues', { description: 'Lists the issues of a repository', parameters: 'owner repo state' }),
  doc('github', 'createPullRequest', { description: 'Proposes changes', parameters: 'base head' }),
  doc('github', 'github', { kind: 'server', exposed: 'github', description: 'Use it for repositories.' }),
]

describe('a catalog in a session', () => {
  it('shows the head of a hit and how to call it, and names it as shown', async () => {
    const session = await openSession()
    await put(session, 'github', ISSUES)
    const found = await ask(session, 'open an issue', { deferring: true, source: 'mcp/' })
    expect(found.text).toContain(
      [
        '[1.1] mcp/github/tool/create_issue — New issue — lines 1-2',
        'Call it: IndexCall(name="github__create_issue", arguments={...})',
        '1\tcreate_issue',
        '2\tOpens a new issue in a repository',
      ].join('\n'),
    )
    expect(found.shown[0]).toBe('mcp/github/tool/create_issue')
    expect(new Set(found.shown).size).toBe(found.shown.length)
  })

  it('says how each kind is used where nothing is deferred', async () => {
    const session = await openSession()
    await put(session, 'a', [
      doc('a', 'quokka_tool'),
      doc('a', 'quokka_page', { kind: 'resource', exposed: 'file:///q' }),
      doc('a', 'quokka_ask', { kind: 'prompt' }),
    ])
    const { text } = await ask(session, 'quokka')
    expect(text).toContain('\nCall it by its name: a__quokka_tool\n')
    expect(text).toContain('\nRead it: resources/read uri="file:///q"\n')
    expect(text).toContain('\nGet it: prompts/get name="a__quokka_ask"\n')
    expect((await ask(session, 'quokka', { deferring: true })).text).toContain(
      '\nCall it: IndexCall(name="mcp/a/resource/quokka_page")\n',
    )
  })

  it('is read line by line, lies in no totals and is not dropped', async () => {
    const session = await openSession({ maxIndexBytes: 1000 })
    await put(session, 'github', ISSUES)
    for (const n of [1, 2, 3]) await session.put('a quokka\n'.repeat(900), `t:${n}`)
    expect((await session.read('mcp/github/tool/list_issues')).text).toBe(
      '1\tlist_issues\n2\tLists the issues of a repository\n3\t\n4\tDefinition:\n5\t{}',
    )
    expect(await session.api.status({})).toMatchObject({ sources: 1 })
    expect((await session.read('mcp/github/tool/list_isues')).text).toContain('"mcp/github/tool/list_issues"')
  })

  it('leaves nothing behind of what it replaces', async () => {
    const session = await openSession()
    await put(session, 'github', ISSUES)
    await put(session, 'github', [doc('github', 'merge_quokka')])
    expect((await ask(session, 'issue')).text).toContain('Nothing found')
    expect((await session.read('mcp/github/tool/create_issue')).isError).toBe(true)
    expect((await ask(session, 'quokka')).shown).toEqual(['mcp/github/tool/merge_quokka'])
    await put(session, 'github', [])
    expect((await ask(session, 'quokka')).text).toMatch(/^Nothing is indexed yet/)
  })

  it('keeps what was there when documents cannot be read', async () => {
    const session = await openSession()
    await put(session, 'github', ISSUES)
    for (const bytes of ['[{"label":1}]', '{', '{}']) {
      await expect(session.api.catalog({ session: 's1', alias: 'github', docs: Buffer.from(bytes) })).rejects.toThrow()
    }
    expect((await session.read('mcp/github/tool/create_issue')).isError).toBe(false)
  })

  it.each([
    ['createIssue', 'create_issue'],
    ['create issue', 'create_issue'],
    ['github__create_issue', 'create_issue'],
    ['mcp/github/tool/list_issues', 'list_issues'],
    ['create_pull_request', 'createPullRequest'],
    ['create pull request', 'createPullRequest'],
    ['please call github__list_issues for a new issue', 'list_issues'],
  ])('%s comes first with %s', async (query, name) => {
    const session = await openSession()
    await put(session, 'other', [doc('other', 'issue', { description: 'create an issue, list issues, create a pull request' })])
    await put(session, 'github', ISSUES)
    expect((await ask(session, query)).shown[0]).toBe(`mcp/github/tool/${name}`)
  })

  it('is searched beside responses, and apart from them by source', async () => {
    const session = await openSession()
    await session.put(`the quokka issue\n${'some line of text\n'.repeat(900)}`, 'web__fetch:1')
    await put(session, 'github', ISSUES)
    const both = await ask(session, 'issue')
    expect(both.text).toMatch(/^\[1\.\d\] web__fetch:1/m)
    expect(both.text).toMatch(/^\[1\.\d\] mcp\/github\//m)
    expect((await ask(session, 'issue', { source: 'mcp/' })).text).not.toContain('web__fetch')
    expect((await ask(session, 'issue', { deferring: false })).text).not.toContain('mcp/')
    expect((await ask(session, 'issue', { deferring: false, source: 'mcp/' })).text).toContain('mcp/github')
    expect((await ask(session, 'issue', { source: 'web__' })).text).not.toContain('mcp/')
    expect((await ask(session, 'issue', { source: 'mcp/github/tool/list' })).shown).toEqual(['mcp/github/tool/list_issues'])
    expect(await ask(session, 'issue', { source: 'mcp/gihub' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('- mcp/github'),
    })
  })

  it('lets preferred labels win ties', async () => {
    const session = await openSession()
    await put(
      session,
      'a',
      ['one', 'two', 'three'].map((name) => doc('a', name, { description: 'Feeds the quokka' })),
    )
    const label = 'mcp/a/tool/two'
    expect((await ask(session, 'feed quokka')).shown[0]).not.toBe(label)
    expect((await ask(session, 'feed quokka', { preferred: [label] })).shown[0]).toBe(label)
  })

  it('corrects a misspelt word', async () => {
    const session = await openSession()
    await put(session, 'github', ISSUES)
    expect((await ask(session, 'repositry')).text).toContain('did you mean "repository"')
  })

  it('answers any query without an error', async () => {
    const session = await openSession()
    await put(session, 'github', ISSUES)
    const hostile = [
      'C++',
      'src/core',
      '@nasa',
      'NOT',
      '"',
      "what's?",
      '-x',
      '🚀',
      'name : x',
      '{',
      'NEAR(a b)',
      '\0',
      '\ud800',
      '漢',
      '*',
    ]
    const word = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary', maxLength: 8 }), fc.constant('issue'))
    const query = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))
    await fc.assert(
      fc.asyncProperty(fc.array(query, { minLength: 32, maxLength: 32 }), async (queries) => {
        const found = await session.api.search({ session: 's1', queries, source: 'mcp/', limit: 1, searchWaitMs: 0 })
        expect(found.isError).toBe(false)
      }),
      { numRuns: 60 },
    )
    const many = Array.from({ length: 5000 }, (_, n) => `word${n} issue`).join(' ')
    for (const long of [many, 'x'.repeat(1_000_000), 'a/'.repeat(100_000), '('.repeat(9999)]) {
      expect((await ask(session, long)).isError).toBe(false)
    }
  })
})
