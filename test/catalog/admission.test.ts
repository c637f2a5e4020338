/** In which order tools are let in. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AdmissionRules, admit, companionsInTurns, rankTools } from '../../src/catalog/admission.js'
import { BudgetGuard, NO_CEILINGS } from '../../src/catalog/budget-guard.js'
import { ceilings, entryOf, exposedOf, serverOf, serversOf, shelves } from '../support/prepared-entries.js'

const RULES: AdmissionRules = { pins: [], allowlist: undefined, usageOf: () => 0 }
const SERVERS = serversOf({ a: ['one', 'two', 'three'], b: ['one'], c: ['one', 'two'] })
const ranked = (rules: Partial<AdmissionRules>) => rankTools(SERVERS, { ...RULES, ...rules })

describe('the order of tools', () => {
  it('is fair turns among servers where nothing else is known', () => {
    expect(exposedOf(ranked({}).candidates)).toEqual(['a__one', 'b__one', 'c__one', 'a__two', 'c__two', 'a__three'])
  })

  it('begins with the pins as they are written, then what was used most', () => {
    const usage = new Map([
      ['a-name three', 2],
      ['c-name two', 5],
      ['b-name one', 2],
    ])
    const { candidates, pinned, unknownPins } = ranked({
      pins: ['c::one', 'nobody__none', 'a__two', 'c__one', 'a-name::two'],
      usageOf: (server, tool) => usage.get(`${server} ${tool}`) ?? 0,
    })
    expect(exposedOf(candidates)).toEqual(['c__one', 'a__two', 'c__two', 'a__three', 'b__one', 'a__one'])
    expect([pinned, unknownPins]).toEqual([2, ['nobody__none']])
  })

  it('leaves out servers that are not allowed, but not their pins', () => {
    expect(exposedOf(ranked({ allowlist: ['b-name'], pins: ['c__two'] }).candidates)).toEqual(['c__two', 'b__one'])
    expect(exposedOf(ranked({ allowlist: [] }).candidates)).toEqual([])
  })

  it('takes globs for pins and servers, and a name for itself', () => {
    const pins = ['a-name::t*', '?__two', 'x__*']
    const { candidates, pinned, unknownPins } = ranked({ allowlist: ['{b,c}-*'], pins })
    expect(exposedOf(candidates)).toEqual(['a__two', 'a__three', 'c__two', 'b__one', 'c__one'])
    expect([pinned, unknownPins]).toEqual([3, ['x__*']])
    const odd = serverOf('odd', [entryOf('odd', 'a[1]')])
    expect(exposedOf(rankTools([odd], { ...RULES, pins: ['odd-name::a[1]'] }).candidates)).toEqual(['odd__a[1]'])
  })

  it('holds each tool that may be listed once, the same for the same', () => {
    const pins = fc.subarray(['a__tools0', 'b::tools1', 'c-name::tools0', 'a__tools0', 'x'])
    fc.assert(
      fc.property(shelves, pins, fc.nat(5), (servers, wanted, factor) => {
        const rules = { ...RULES, pins: wanted, usageOf: (_: string, tool: string) => (factor * tool.length) % 3 }
        const names = exposedOf(rankTools(servers, rules).candidates)
        const all = servers.flatMap(({ entries }) => entries.tools.map(({ exposed }) => exposed))
        expect([...names].sort()).toEqual([...all].sort())
        expect(exposedOf(rankTools(servers, rules).candidates)).toEqual(names)
      }),
    )
  })
})

describe('admission', () => {
  it('skips what does not fit, and smaller ones after it enter', () => {
    const servers = [serverOf('a', [entryOf('a', 'small', 10), entryOf('a', 'giant', 500), entryOf('a', 'last', 10)])]
    const guard = new BudgetGuard({ ...NO_CEILINGS, maxTokens: 40 }, [])
    expect(exposedOf(admit(guard, rankTools(servers, RULES).candidates))).toEqual(['a__small', 'a__last'])
  })

  it('holds the ceilings, and nothing more would fit', () => {
    fc.assert(
      fc.property(shelves, ceilings, (servers, limits) => {
        const guard = new BudgetGuard(limits, [])
        const all = [...rankTools(servers, RULES).candidates, ...companionsInTurns(servers)]
        const admitted = new Set(admit(guard, all))
        expect(guard.holds).toBe(true)
        for (const candidate of all) {
          if (!admitted.has(candidate)) expect(guard.fits(candidate.kind, candidate.entry)).toBe(false)
        }
      }),
    )
  })
})

describe('other entries', () => {
  it('come in turns of servers and kinds', () => {
    const servers = [
      serverOf('a', [], { resources: [entryOf('a', 'r1'), entryOf('a', 'r2')], prompts: [entryOf('a', 'p1')] }),
      serverOf('b', [], { resourceTemplates: [entryOf('b', 't1')] }),
    ]
    expect(exposedOf(companionsInTurns(servers))).toEqual(['a__r1', 'a__p1', 'b__t1', 'a__r2'])
  })
})
