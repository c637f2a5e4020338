/** A session's list over its life: what enters, what stays, what leaves. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AdmissionRules, ShelvedServer } from '../../src/catalog/admission.js'
import { type Ceilings, NO_CEILINGS } from '../../src/catalog/budget-guard.js'
import { listTokens } from '../../src/catalog/list-cost.js'
import { Listing } from '../../src/catalog/listing.js'
import { LIST_KINDS, type ListKind } from '../../src/protocol/compute-api.js'
import { ceilings, entryOf, serverOf, serversOf, shelves } from '../support/prepared-entries.js'

const most = (maxTools: number): Ceilings => ({ ...NO_CEILINGS, maxTools })

function listingOf(rules: Partial<AdmissionRules> = {}, affinity: (tool: string) => number = () => 0): Listing {
  return new Listing({
    own: () => [],
    rules: { pins: [], allowlist: undefined, usageOf: () => 0, ...rules },
    affinity: () => (_, tool) => affinity(tool),
  })
}

const names = (listing: Listing, kind: ListKind = 'tools') => listing.entries(kind).map(({ exposed }) => exposed)

/** The candidate of an exposed name. */
function candidate(servers: readonly ShelvedServer[], exposed: string, kind: ListKind = 'tools') {
  for (const server of servers) {
    const entry = server.entries[kind].find((known) => known.exposed === exposed)
    if (entry) return { kind, server, entry }
  }
  throw new Error(`no ${exposed}`)
}

describe('a listing', () => {
  const SERVERS = serversOf({ a: ['one', 'two', 'three'], b: ['one', 'two', 'three'] })

  it('is in the order of the configuration, whoever was let in first', () => {
    const listing = listingOf({ pins: ['b__two'] })
    listing.update({ servers: SERVERS, ceilings: most(3) })
    expect(names(listing)).toEqual(['a__one', 'b__one', 'b__two'])
  })

  it('stays as it is where nothing has changed, though there is room now', () => {
    const listing = listingOf()
    listing.update({ servers: SERVERS, ceilings: most(2) })
    listing.update({ servers: SERVERS, ceilings: most(6) })
    expect(names(listing)).toEqual(['a__one', 'b__one'])
  })

  it('puts what lands later at its end', () => {
    const listing = listingOf()
    const [a, b] = SERVERS
    listing.update({ servers: b ? [b] : [], ceilings: most(5) })
    listing.update({ servers: a && b ? [a, b] : [], ceilings: most(5) })
    expect(names(listing)).toEqual(['b__one', 'b__two', 'b__three', 'a__one', 'a__two'])
  })

  it('makes room with entries of other kinds that no search brought in where there is no tool to leave', () => {
    const files = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
    const servers = [serverOf('a', [], { resources: files.map((name) => entryOf('a', name)) })]
    const listing = listingOf()
    listing.update({ servers, ceilings: { ...NO_CEILINGS, maxBytes: 210 } })
    const file = (name: string) => candidate(servers, `a__${name}`, 'resources')
    expect(names(listing, 'resources')).toEqual(['a__one', 'a__two', 'a__three', 'a__four', 'a__five'])
    expect([...listing.activate([file('six')])]).toEqual(['resources'])
    expect([...listing.activate([file('seven')])]).toEqual(['resources'])
    expect(names(listing, 'resources')).toEqual(['a__one', 'a__two', 'a__three', 'a__six', 'a__seven'])
  })

  it('never drives out what the same search has found, and says which lists have changed', () => {
    const tools = Array.from({ length: 12 }, (_, at) => entryOf('a', `t${at}`))
    const servers = [serverOf('a', tools, { prompts: [entryOf('a', 'p')] })]
    const listing = listingOf()
    listing.update({ servers, ceilings: { ...NO_CEILINGS, maxBytes: 210 } })
    expect([names(listing), names(listing, 'prompts')]).toEqual([['a__t0', 'a__t1', 'a__t2', 'a__t3'], ['a__p']])
    const found = tools.slice(4).map(({ exposed }) => candidate(servers, exposed))
    expect([...listing.activate(found)]).toEqual(['tools', 'prompts'])
    expect([names(listing), names(listing, 'prompts')]).toEqual([['a__t4', 'a__t5', 'a__t6', 'a__t7', 'a__t8'], []])
    // What was found again is not the first to leave.
    listing.activate([candidate(servers, 'a__t4')])
    listing.activate([candidate(servers, 'a__t0')])
    expect(names(listing)).toEqual(['a__t4', 'a__t6', 'a__t7', 'a__t8', 'a__t0'])
  })

  it('lets one that is large in only where nothing has to leave for it', () => {
    const servers = [serverOf('a', [entryOf('a', 'big', 30), ...['x', 'y', 'z'].map((name) => entryOf('a', name))])]
    const rules = { pins: ['a__x', 'a__y', 'a__z'] }
    for (const [maxBytes, expected] of [
      [220, ['a__x', 'a__y', 'a__z']],
      [250, ['a__big', 'a__x', 'a__y', 'a__z']],
    ] as const) {
      const listing = listingOf(rules)
      listing.update({ servers, ceilings: { ...NO_CEILINGS, maxBytes } })
      listing.activate([candidate(servers, 'a__big')])
      expect(names(listing)).toEqual(expected)
    }
  })

  it('makes room for what is activated with the least valuable that was never called, the last of equals', () => {
    const listing = listingOf({ usageOf: (_, tool) => (tool === 'two' ? 1 : 0) })
    listing.update({ servers: SERVERS, ceilings: most(4) })
    expect(names(listing)).toEqual(['a__one', 'a__two', 'b__one', 'b__two'])
    listing.called('b__one')
    expect([...listing.activate([candidate(SERVERS, 'b__three')])]).not.toEqual([])
    expect(names(listing)).toEqual(['a__two', 'b__one', 'b__two', 'b__three'])
    expect([...listing.activate([candidate(SERVERS, 'b__three')])]).toEqual([])
  })

  it('keeps what goes with the tools in use, and pins longest', () => {
    const listing = listingOf({ pins: ['a__one'] }, (tool) => (tool === 'two' ? 0.5 : 0))
    listing.update({ servers: SERVERS, ceilings: most(3) })
    listing.activate([candidate(SERVERS, 'b__two')])
    listing.activate([candidate(SERVERS, 'b__three')])
    expect(names(listing)).toEqual(['a__one', 'b__two', 'b__three'])
    listing.activate([candidate(SERVERS, 'a__three')])
    expect(names(listing)).toEqual(['a__one', 'b__three', 'a__three'])
  })

  it('refuses an activation that all that may leave would not make room for', () => {
    const servers = [serverOf('a', [entryOf('a', 'small'), entryOf('a', 'used'), entryOf('a', 'giant', 90)])]
    const listing = listingOf()
    listing.update({ servers, ceilings: { ...NO_CEILINGS, maxTokens: 100 } })
    listing.called('a__used')
    expect([...listing.activate([candidate(servers, 'a__giant')])]).toEqual([])
    expect(names(listing)).toEqual(['a__small', 'a__used'])
  })

  it('takes out an entry that grows out of the ceilings, and no other', () => {
    const before = [entryOf('a', 'one'), entryOf('a', 'two')]
    const grown = { ...entryOf('a', 'one', 95), json: '{"name":"a__one","description":"grown"}' }
    const b = serverOf('b', [entryOf('b', 'one')])
    const listing = listingOf()
    const limits = { ...NO_CEILINGS, maxTokens: 100 }
    listing.update({ servers: [serverOf('a', before), b], ceilings: limits })
    listing.update({ servers: [serverOf('a', [grown, entryOf('a', 'two')]), b], ceilings: limits })
    expect(names(listing)).toEqual(['a__two', 'b__one'])
  })

  it('names the pins without room', () => {
    const listing = listingOf({ pins: ['a__one', 'b__one', 'x'] })
    listing.update({ servers: SERVERS, ceilings: most(1) })
    expect([listing.unfitPins, listing.unknownPins]).toEqual([['b__one'], ['x']])
  })

  it('lists all where nothing is deferred', () => {
    const listing = listingOf()
    listing.update({ servers: SERVERS, ceilings: undefined })
    expect(names(listing)).toHaveLength(6)
  })
})

describe('over any session', () => {
  const steps = fc.array(fc.record({ call: fc.boolean(), pick: fc.nat(1_000) }), { maxLength: 40 })

  /** What has dropped, where the rest has kept its order and the new came behind it. */
  function dropped(before: readonly string[], after: readonly string[]): string[] {
    const kept = before.filter((name) => after.includes(name))
    expect(after.slice(0, kept.length)).toEqual(kept)
    return before.filter((name) => !after.includes(name))
  }

  function expectCeilings(listing: Listing, limits: Ceilings): void {
    const tools = listing.entries('tools')
    expect(tools.length).toBeLessThanOrEqual(limits.maxTools)
    expect(listTokens(tools)).toBeLessThanOrEqual(limits.maxTokens)
    const bytes = LIST_KINDS.flatMap((kind) => listing.entries(kind)).reduce((sum, entry) => sum + entry.bytes, 0)
    expect(bytes).toBeLessThanOrEqual(limits.maxBytes)
  }

  it('ceilings hold, calls change nothing, and lists grow at their ends or drop what was never called', () => {
    fc.assert(
      fc.property(shelves, ceilings, steps, fc.nat(4), (servers, limits, session, late) => {
        const listing = listingOf()
        const called = new Set<string>()
        const all = servers.flatMap((server) =>
          LIST_KINDS.flatMap((kind) => server.entries[kind].map((entry) => ({ kind, server, entry }))),
        )
        listing.update({ servers: servers.slice(late), ceilings: limits })
        for (const [at, { call, pick }] of session.entries()) {
          const before = names(listing)
          const target = all[pick % Math.max(1, all.length)]
          if (at === 5) listing.update({ servers, ceilings: limits })
          else if (call && target?.kind === 'tools') {
            listing.called(target.entry.exposed)
            called.add(target.entry.exposed)
            expect(names(listing)).toEqual(before)
          } else if (target && (at > 5 || servers.indexOf(target.server) >= late)) listing.activate([target])
          const gone = dropped(before, names(listing))
          expect(gone.filter((name) => called.has(name))).toEqual([])
          expectCeilings(listing, limits)
        }
      }),
    )
  })
})
