/** The ceilings over what a client is given. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BudgetGuard, type Cost, NO_CEILINGS } from '../../src/catalog/budget-guard.js'
import { listTokens } from '../../src/catalog/list-cost.js'
import type { ListKind } from '../../src/protocol/compute-api.js'
import { ceilings, costs } from '../support/prepared-entries.js'

const cost = (bytes: number, tokens: number): Cost => ({ bytes, tokens, lastTokens: tokens })
const kinds = fc.constantFrom<ListKind>('tools', 'resources', 'resourceTemplates', 'prompts')

describe('a budget guard', () => {
  it('never lets in more than its ceilings hold, in whatever order and with whatever leaves', () => {
    const steps = fc.array(fc.record({ kind: kinds, entry: costs, leaves: fc.boolean() }), { maxLength: 60 })
    fc.assert(
      fc.property(ceilings, fc.array(costs, { maxLength: 2 }), steps, (limits, own, all) => {
        const guard = new BudgetGuard(limits, own)
        fc.pre(guard.holds)
        let inside: { kind: ListKind; entry: Cost }[] = []
        for (const { kind, entry, leaves } of all) {
          const [first] = inside
          if (leaves && first) {
            guard.remove(first.kind, first.entry)
            inside = inside.slice(1)
          } else if (guard.fits(kind, entry)) {
            guard.add(kind, entry)
            inside.push({ kind, entry })
          }
          const tools = inside.filter((step) => step.kind === 'tools').map((step) => step.entry)
          expect(guard.holds).toBe(true)
          expect(tools.length).toBeLessThanOrEqual(limits.maxTools)
          expect(listTokens([...own, ...tools])).toBeLessThanOrEqual(limits.maxTokens)
          expect(inside.reduce((sum, { entry: { bytes } }) => sum + bytes, 0)).toBeLessThanOrEqual(limits.maxBytes)
        }
      }),
    )
  })

  it('counts tokens and number of tools only, bytes of all', () => {
    const guard = new BudgetGuard({ maxTools: 1, maxTokens: 100, maxBytes: 1_000 }, [])
    expect(guard.fits('prompts', cost(500, 5_000))).toBe(true)
    guard.add('tools', cost(100, 50))
    expect(guard.fits('tools', cost(1, 1))).toBe(false)
    expect(guard.fits('resources', cost(899, 0))).toBe(false)
    expect(guard.fits('resources', cost(898, 0))).toBe(true)
    expect(guard.fits('resources', cost(898, 0), 1)).toBe(false)
  })

  it('counts an entry with the dearer of its places', () => {
    const guard = new BudgetGuard({ ...NO_CEILINGS, maxTokens: 102 }, [])
    expect(guard.fits('tools', { bytes: 1, tokens: 99, lastTokens: 100 })).toBe(true)
    expect(guard.fits('tools', { bytes: 1, tokens: 99, lastTokens: 101 })).toBe(false)
  })

  it('says that its ceilings do not hold where the own tools are too much', () => {
    expect(new BudgetGuard({ ...NO_CEILINGS, maxTokens: 10 }, [cost(1, 11)]).holds).toBe(false)
    expect(new BudgetGuard(NO_CEILINGS, [cost(1, 11)]).holds).toBe(true)
  })
})
