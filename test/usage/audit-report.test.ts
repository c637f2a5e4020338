import { describe, expect, it } from 'vitest'
import type { AuditLine, AuditReport } from '../../src/protocol/audit-api.js'
import { appendLines } from '../../src/usage/audit-files.js'
import { auditReport } from '../../src/usage/audit-report.js'
import { auditFolder, auditLine } from '../support/audit.js'

const MODELS = { one: { input: 10, output: 50, cacheRead: 1 } }

function reportOf(lines: readonly AuditLine[], gapSeconds = 120): AuditReport {
  const dataDir = auditFolder()
  appendLines({ dataDir }, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return auditReport({ dataDir, gapMs: gapSeconds * 1000, ratesAsOf: '2026-09-08', models: MODELS })
}

const list = (seconds: number, listed: number, definitions: number, more: Partial<AuditLine> = {}) =>
  auditLine({
    seconds,
    kind: 'list',
    tool: 'tools/list',
    server: null,
    sentTokens: listed,
    responseTokens: definitions,
    ...more,
  })
const search = (seconds: number, sentTokens: number) =>
  auditLine({ seconds, kind: 'search', tool: 'IndexSearch', server: null, sentTokens, responseTokens: 0 })

describe('the audit', () => {
  it('parts a session’s calls into tasks where they pause', () => {
    const lines = [0, 60, 180, 181, 302].map((seconds) => auditLine({ seconds }))
    const counts = (gap: number) => reportOf(lines, gap).tasks.map(({ calls }) => calls)
    expect(counts(120)).toEqual([4, 1])
    expect(counts(119)).toEqual([2, 2, 1])
    expect(counts(1_000)).toEqual([5])
  })

  it('measures a pause from the end of the call before', () => {
    const lines = [auditLine({ durationMs: 300_000 }), auditLine({ seconds: 400 })]
    expect(reportOf(lines).tasks).toHaveLength(1)
  })

  it('keeps sessions apart that run at the same time', () => {
    const { tasks, total } = reportOf([auditLine(), auditLine({ session: 's2', seconds: 1 }), auditLine({ seconds: 2 })])
    expect(tasks.map(({ session, calls }) => [session, calls])).toEqual([
      ['s1', 2],
      ['s2', 1],
    ])
    expect(total).toMatchObject({ calls: 3 })
  })

  it('finds the same call with the same result, within a task', () => {
    const same = { argsHash: 'a', resultHash: 'r', sentTokens: 7 }
    const { tasks } = reportOf([
      auditLine({ ...same, seconds: 0 }),
      auditLine({ ...same, seconds: 1 }),
      auditLine({ ...same, seconds: 2, resultHash: 'other' }),
      auditLine({ ...same, seconds: 3, tool: 'put' }),
      auditLine({ ...same, seconds: 4, argsHash: null }),
      auditLine({ ...same, seconds: 5, argsHash: null }),
      auditLine({ ...same, seconds: 1_000 }),
    ])
    expect(tasks.map(({ duplicates, tokens }) => [duplicates, tokens.duplicates])).toEqual([
      [1, 7],
      [0, 0],
    ])
  })

  it('counts errors and their tokens', () => {
    const { total } = reportOf([auditLine({ isError: true, sentTokens: 30 }), auditLine({ seconds: 1 })])
    expect(total).toMatchObject({ errors: 1, tokens: { errors: 30 }, prices: [{ errors: 0.0003 }] })
  })

  it('counts a request for calls side by side, and searches only with the gateway', () => {
    const { total } = reportOf([
      auditLine({ seconds: 0, durationMs: 5_000 }),
      auditLine({ seconds: 1, durationMs: 5_000 }),
      search(10, 50),
      auditLine({ seconds: 20, receipt: true, sentTokens: 20, responseTokens: 900 }),
    ])
    expect(total?.tokens.sluice).toMatchObject({ requests: 3, results: 72 })
    expect(total?.tokens.direct).toMatchObject({ requests: 2, results: 902 })
  })

  it('prices definitions in every request, and with a cache that a change of the list empties', () => {
    const { total } = reportOf([
      list(0, 100, 1_000),
      ...[1, 2, 3].map((seconds) => auditLine({ seconds })),
      list(4, 100, 1_000, { resultHash: 'r0' }),
      auditLine({ seconds: 5 }),
      list(6, 150, 1_000),
      auditLine({ seconds: 7 }),
    ])
    expect(total?.tokens.sluice).toEqual({ requests: 5, results: 5, definitions: 550, definitionsWritten: 250 })
    expect(total?.prices).toEqual([
      {
        model: 'one',
        sluice: { results: 0.00005, definitions: 0.0055, definitionsCached: 0.0028 },
        direct: { results: 0.00005, definitions: 0.05, definitionsCached: 0.023 },
        errors: 0,
        duplicates: 0,
      },
    ])
  })

  it('claims no definitions before a list was seen', () => {
    const { total } = reportOf([auditLine(), list(1, 100, 1_000)])
    expect(total?.tokens).toMatchObject({ sluice: { definitions: 0 }, direct: { definitions: 0 } })
  })

  it('is empty where nothing was called', () => {
    expect(reportOf([])).toMatchObject({ total: null, tasks: [] })
    expect(reportOf([list(0, 1, 1)])).toMatchObject({ total: null, tasks: [] })
  })
})
