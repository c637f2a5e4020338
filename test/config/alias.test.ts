import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignAliases } from '../../src/config/alias.js'

function aliases(...names: (string | readonly [name: string, alias: string])[]) {
  const claims = names.map((one) =>
    typeof one === 'string' ? { name: one, alias: undefined } : { name: one[0], alias: one[1] },
  )
  return Object.fromEntries(assignAliases(claims).byName)
}

describe('assignAliases', () => {
  it('keeps legal names and given aliases', () => {
    expect(aliases('git_hub-2', ['x', 'Y'])).toEqual({ 'git_hub-2': 'git_hub-2', x: 'Y' })
  })

  it('makes a legal alias of any name', () => {
    expect(aliases('my server', '@scope/pkg.v2', '_x_!')).toEqual({
      'my server': 'my-server',
      '@scope/pkg.v2': 'scope-pkg-v2',
      '_x_!': 'x',
    })
  })

  it('adds a hash of the name where nothing is left, or too much, or it is taken', () => {
    const found = aliases('文件', 'a'.repeat(33), 'a b', 'a.b')
    expect(found['文件']).toMatch(/^server-[0-9a-f]{6}$/)
    expect(found['a'.repeat(33)]).toMatch(/^a{25}-[0-9a-f]{6}$/)
    expect(found['a b']).toBe('a-b')
    expect(found['a.b']).toMatch(/^a-b-[0-9a-f]{6}$/)
  })

  it('lets a given alias and a legal name go before a derived one that stands earlier', () => {
    const found = aliases('a b', 'a-b', 'c d', ['e', 'c-d'])
    expect(found).toMatchObject({ 'a-b': 'a-b', e: 'c-d' })
    expect(found['a b']).toMatch(/^a-b-/)
    expect(found['c d']).toMatch(/^c-d-/)
  })

  it('derives another alias for a name that an earlier server has as its alias', () => {
    expect(aliases(['a', 'b'], 'b')['b']).toMatch(/^b-[0-9a-f]{6}$/)
  })

  it('tells whose alias a later server wanted', () => {
    const { byName, taken } = assignAliases([
      { name: 'a', alias: undefined },
      { name: 'b', alias: 'a' },
    ])
    expect([...byName.keys()]).toEqual(['a'])
    expect([...taken]).toEqual([['b', 'a']])
  })

  it('gives each server a legal alias of its own, the same each time', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('a b', 'a-b', 'a.b', '', '__proto__', 'constructor'),
    )
    fc.assert(
      fc.property(fc.uniqueArray(name), (names) => {
        const claims = names.map((one) => ({ name: one, alias: undefined }))
        const { byName } = assignAliases(claims)
        expect([...byName.keys()].sort()).toEqual([...names].sort())
        expect(new Set(byName.values()).size).toBe(names.length)
        for (const alias of byName.values()) expect(alias).toMatch(/^[A-Za-z0-9_-]{1,32}$/)
        expect([...assignAliases(claims).byName]).toEqual([...byName])
      }),
    )
  })
})
