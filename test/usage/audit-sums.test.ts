import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditLine, StatsReport } from '../../src/protocol/audit-api.js'
import { AuditSums, parseSums } from '../../src/usage/audit-sums.js'
import { auditLine } from '../support/audit.js'

const list = (listed: number, definitions: number, more: Partial<AuditLine> = {}) =>
  auditLine({ kind: 'list', tool: 'tools/list', server: null, sentTokens: listed, responseTokens: definitions, ...more })
const own = (kind: 'search' | 'read', sentTokens: number) =>
  auditLine({ kind, server: null, tool: kind, sentTokens, responseTokens: 0 })
const receipt = (server: string, responseTokens: number, sentTokens: number) =>
  auditLine({ server, responseTokens, sentTokens, receipt: true })

function report(...lines: AuditLine[]): StatsReport {
  const sums = new AuditSums()
  for (const line of lines) sums.add(line)
  return sums.report()
}

describe('lifetime statistics', () => {
  it('are net of receipts, searches, reads and what is listed', () => {
    const { tokens, servers } = report(
      list(500, 2_000),
      receipt('github', 10_000, 800),
      receipt('files', 5_000, 700),
      auditLine({ server: 'files', isError: true }),
      own('search', 300),
      own('read', 200),
    )
    const net = 15_000 + 2_000 - 500 - 1_500 - 300 - 200
    expect(tokens).toEqual({
      keptOut: 15_000,
      receipts: 1_500,
      searches: 300,
      reads: 200,
      definitions: 2_000,
      listed: 500,
      net,
    })
    expect(servers).toEqual([
      { server: 'files', calls: 2, errors: 1, tokens: { keptOut: 5_000, receipts: 700, net: 4_300 } },
      { server: 'github', calls: 1, errors: 0, tokens: { keptOut: 10_000, receipts: 800, net: 9_200 } },
    ])
  })

  it('claim nothing where no list was seen and no receipt was given', () => {
    expect(report(auditLine({ responseTokens: 9_000, sentTokens: 9_000 })).tokens).toMatchObject({
      keptOut: 0,
      definitions: 0,
      net: 0,
    })
  })

  it('are below zero where more was spent than saved', () => {
    expect(report(list(500, 200), own('search', 100)).tokens.net).toBe(-400)
  })

  it('count a session’s definitions once, as its last list was, pages together', () => {
    const again = report(list(500, 2_000), list(700, 2_000))
    expect(again.tokens).toMatchObject({ definitions: 2_000, listed: 700 })
    const paged = report(list(500, 2_000), list(300, 0, { kind: 'page' }))
    expect(paged.tokens).toMatchObject({ definitions: 2_000, listed: 800 })
    const two = report(list(500, 2_000), list(500, 2_000, { session: 's2' }))
    expect(two).toMatchObject({ sessions: 2, tokens: { definitions: 4_000, listed: 1_000 } })
    expect(report(list(10, 20, { tool: 'prompts/list' })).tokens).toMatchObject({ definitions: 0, listed: 0 })
  })

  it('are the same however lines are spread over files', () => {
    const line = fc.oneof(
      fc.nat(1_000).map((n) => list(n + 1, n * 2, { session: `s${n % 3}` })),
      fc.nat(1_000).map((n) => list(n + 1, 0, { kind: 'page', session: `s${n % 3}` })),
      fc.nat(1_000).map((n) => receipt(['constructor', '__proto__', 'x'][n % 3] ?? '', n * 9, n)),
      fc.nat(1_000).map((n) => own(n % 2 ? 'search' : 'read', n)),
    )
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(20)), (lines, cuts) => {
        const all = new AuditSums()
        const rest = [...lines]
        for (const cut of [...cuts, lines.length]) {
          const file = new AuditSums()
          for (const one of rest.splice(0, cut)) file.add(one)
          const kept = parseSums(JSON.stringify(file.kept()))
          if (kept) all.append(kept)
        }
        expect(all.report()).toEqual(report(...lines))
      }),
    )
  })

  it('take no sums of another version', () => {
    for (const json of ['', 'null', '[]', '{"version":99}', '{']) expect(parseSums(json)).toBeUndefined()
  })
})
