import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aliasIn, composeName, NameTable, nearestName } from '../../src/catalog/names.js'

const LEGAL = /^[A-Za-z0-9_-]{1,50}$/
const alias = fc.stringMatching(/^[A-Za-z0-9_-]{1,30}$/)
const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.stringMatching(/^[a-z_]{1,20}$/),
  fc.constantFrom('constructor', '__proto__', ''),
)

describe('a table of exposed names', () => {
  it('gives legal, unique names that map back to their owners', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('prefixed' as const, 'bare' as const),
        fc.uniqueArray(alias, { minLength: 1, maxLength: 5 }),
        fc.array(fc.tuple(fc.nat(4), anyName), { maxLength: 40 }),
        (naming, aliases, wanted) => {
          const table = new NameTable({ naming, aliases, reserved: ['IndexSearch', 'IndexRead'] })
          const owners = new Map<string, string>()
          for (const [at, name] of wanted) {
            const owner = aliases[at % aliases.length] ?? ''
            const exposed = table.expose(owner, name)
            expect(exposed).toMatch(LEGAL)
            expect(table.resolve(exposed)).toEqual({ alias: owner, name })
            expect(owners.get(exposed) ?? `${owner}\0${name}`).toBe(`${owner}\0${name}`)
            owners.set(exposed, `${owner}\0${name}`)
          }
        },
      ),
    )
  })

  it('gives the same name whatever the order in which prefixed servers land', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(alias, { minLength: 2, maxLength: 4 }),
        fc.uniqueArray(anyName, { maxLength: 6 }),
        (aliases, names) => {
          const pairs = aliases.flatMap((one) => names.map((name) => [one, name] as const))
          const forward = new NameTable({ naming: 'prefixed', aliases, reserved: [] })
          const backward = new NameTable({ naming: 'prefixed', aliases, reserved: [] })
          const there = pairs.map(([one, name]) => forward.expose(one, name))
          const back = pairs.toReversed().map(([one, name]) => backward.expose(one, name))
          expect(back.toReversed()).toEqual(there)
        },
      ),
    )
  })

  it('keeps two compositions that come out equal apart', () => {
    const table = new NameTable({ naming: 'prefixed', aliases: ['a', 'a__b'], reserved: [] })
    const first = table.expose('a', 'b__c')
    expect(table.expose('a__b', 'c')).toBe('a__b__c')
    expect(first).not.toBe('a__b__c')
    expect(table.resolve(first)).toEqual({ alias: 'a', name: 'b__c' })
  })

  it('keeps the names of a bare stack and prefixes a newcomer whose name is taken or reserved', () => {
    const table = new NameTable({ naming: 'bare', aliases: ['a', 'b'], reserved: ['IndexRead'] })
    expect(table.expose('a', 'echo')).toBe('echo')
    expect(table.expose('b', 'echo')).toBe('b__echo')
    expect(table.expose('b', 'IndexRead')).toBe('b__IndexRead')
    expect(table.expose('a', 'echo')).toBe('echo')
  })

  it('cuts a long name to 50 characters with a hash of the whole', () => {
    const long = 'x'.repeat(60)
    const one = composeName('server', `${long}1`, ['server'])
    const two = composeName('server', `${long}2`, ['server'])
    expect(one).toHaveLength(50)
    expect(one).not.toBe(two)
    expect(composeName('server', `${long}1`, ['server'])).toBe(one)
  })

  it('finds the longest alias in front of a name', () => {
    expect(aliasIn('a__b__c', ['a', 'a__b', 'b'])).toBe('a__b')
    expect(aliasIn('echo', ['a'])).toBeUndefined()
  })
})

describe('the name that was most likely meant', () => {
  const known = ['a__die', 'b__die', 'github__create_issue', 'github__search_code', 'filesystem__read_file']

  it.each([
    ['github__create_isue', 'github__create_issue'],
    ['githb__create_issue', 'github__create_issue'],
    ['create_issue', 'github__create_issue'],
    ['filesystem__read', 'filesystem__read_file'],
    ['b__dye', 'b__die'],
    ['b__nope', undefined],
    ['filesystem__nope', undefined],
    ['github__read_file', undefined],
    ['filesystem__create_issue', undefined],
    ['', undefined],
  ])('for %s is %s', (name, meant) => {
    expect(nearestName(name, known)).toBe(meant)
  })
})
