import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { auditReportSchema, statsReportSchema } from '../../src/cli/report-schemas.js'
import type { AuditReport } from '../../src/protocol/audit-api.js'
import { appendLines } from '../../src/usage/audit-files.js'
import { auditFolder, auditLine } from '../support/audit.js'
import { CLI, isolatedEnv } from '../support/gateway.js'

const MODELS = [
  'claude-fable-5-1',
  'claude-opus-5',
  'claude-sonnet-5',
  'claude-haiku-4-5',
  'gpt-6-astra',
  'gpt-5.6-sol',
  'gpt-5.6-terra',
  'gpt-5.6-luna',
  'gemini-3.1-pro',
  'gemini-3.8-flash',
]

/** A log of two tasks with a receipt, a search, a read, a duplicate and an error. */
function recorded(): string {
  const dataDir = auditFolder()
  const list = { kind: 'list', tool: 'tools/list', server: null, sentTokens: 2_000, responseTokens: 90_000 } as const
  const receipt = { receipt: true, responseTokens: 50_000, sentTokens: 900, tokensEstimated: true, seconds: 1 }
  const own = { server: null, responseTokens: 0, sentTokens: 1_500 }
  const lines = [
    auditLine(list),
    auditLine(receipt),
    auditLine({ ...own, kind: 'search', tool: 'IndexSearch', seconds: 5 }),
    auditLine({ ...own, kind: 'read', tool: 'IndexRead', seconds: 9 }),
    auditLine({ seconds: 20, isError: true, argsHash: 'a', resultHash: 'r' }),
    auditLine({ seconds: 30, isError: true, argsHash: 'a', resultHash: 'r' }),
    auditLine({ seconds: 900, server: 'files' }),
  ]
  appendLines({ dataDir }, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return dataDir
}

function run(dataDir: string, ...args: string[]) {
  const env = { ...isolatedEnv(dataDir), SLUICE_DATA_DIR: dataDir }
  return spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', env })
}

describe('sluice stats', () => {
  it('prints what its schema says with --json', () => {
    const { status, stdout, stderr } = run(recorded(), 'stats', '--json')
    expect([status, stderr]).toEqual([0, ''])
    const report = statsReportSchema.parse(JSON.parse(stdout))
    expect(report).toMatchObject({ calls: 4, errors: 2, searches: 1, reads: 1, tokens: { keptOut: 50_000, net: 134_100 } })
  })

  it('prints a table with bars for people, net of what was spent', () => {
    const { status, stdout } = run(recorded(), 'stats')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^4 calls \(2 errors\), 1 search, 1 read in 1 session, 2026-09-08 12:00 to 2026-09-08 12:15 UTC\n/)
    expect(stdout).toMatch(/receipts in their place +-900 +█/)
    expect(stdout).toMatch(/net +134,100 +█+\n/)
    expect(stdout).toMatch(/github +3 +2 +50,000 +900 +49,100 +█+\n/)
    expect(stdout).toContain('estimated')
  })

  it.each([[[]], [['--json']]])('is empty where nothing is recorded (%j)', (flags) => {
    const { status, stdout } = run(auditFolder(), 'stats', ...flags)
    expect(status).toBe(0)
    if (flags.length === 0) expect(stdout).toBe('Nothing is recorded yet.\n')
    else expect(statsReportSchema.parse(JSON.parse(stdout))).toMatchObject({ since: null, calls: 0, servers: [] })
  })

  it('ends with 1 where the log is damaged, and with 2 where it cannot be read', () => {
    const dataDir = recorded()
    writeFileSync(join(dataDir, 'audit/000001.jsonl'), 'torn\n', { flag: 'a' })
    const damaged = run(dataDir, 'stats')
    expect(damaged.status).toBe(1)
    expect(damaged.stdout).toContain('1 line of the log could not be read')
    expect(run(dataDir, 'audit').status).toBe(1)
    const blocked = auditFolder()
    writeFileSync(join(blocked, '..', 'data'), 'no folder')
    const { status, stderr } = run(blocked, 'stats')
    expect(status).toBe(2)
    expect(stderr).toContain('AUDIT_FILE')
  })
})

describe('sluice audit', () => {
  const json = (...args: string[]): AuditReport => {
    const { status, stdout, stderr } = run(recorded(), 'audit', '--json', ...args)
    expect([status, stderr]).toEqual([0, ''])
    return auditReportSchema.parse(JSON.parse(stdout))
  }

  it('prices every task for ten models, as its schema says', () => {
    const report = json()
    expect(Object.keys(report.models)).toEqual(MODELS)
    expect(report).toMatchObject({ ratesAsOf: '2026-09-08', gapSeconds: 120, total: { calls: 4, duplicates: 1, errors: 2 } })
    expect(report.tasks.map(({ calls, searches, reads }) => [calls, searches, reads])).toEqual([
      [3, 1, 1],
      [1, 0, 0],
    ])
    for (const { prices } of report.tasks) expect(prices.map(({ model }) => model)).toEqual(MODELS)
    expect(report.tasks[0]?.prices[1]).toMatchObject({
      model: 'claude-opus-5',
      sluice: { definitions: 0.05, definitionsCached: 0.014 },
      direct: { definitions: 1.35, definitionsCached: 0.54 },
    })
  })

  it('joins tasks over a longer --gap', () => {
    expect(json('--gap', '900').tasks).toHaveLength(1)
  })

  it('knows one --model, and those of --prices', () => {
    expect(Object.keys(json('--model', 'gpt-5.6-luna').models)).toEqual(['gpt-5.6-luna'])
    const file = join(auditFolder(), '..', 'rates.json')
    const mine = { input: 1, output: 2, cacheRead: 0.5 }
    writeFileSync(file, JSON.stringify({ asOf: '2026-10-01', models: { mine, 'claude-opus-5': mine } }))
    const report = json('--prices', file)
    expect(report.ratesAsOf).toBe('2026-10-01')
    expect(Object.keys(report.models)).toEqual([...MODELS, 'mine'])
    expect(report.models['claude-opus-5']).toEqual(mine)
    expect(Object.keys(json('--prices', file, '--model', 'mine').models)).toEqual(['mine'])
  })

  it('prints tables for people', () => {
    const { status, stdout } = run(recorded(), 'audit', '--model', 'claude-opus-5')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^2 tasks with 4 calls, /)
    expect(stdout).toMatch(/with Sluice +6 +3,903 +12,000 +4,000\n/)
    expect(stdout).toMatch(/without +4 +50,003 +360,000 +180,000\n/)
    expect(stdout).toMatch(/claude-opus-5 +0\.0795 /)
    expect(stdout).toContain('Rates as of 2026-09-08')
  })

  it.each([
    [['--model', 'claude-opus5'], 'did you mean "claude-opus-5"?'],
    [['--model', 'constructor'], 'there are claude-fable-5-1'],
    [['--prices', '/nowhere.json'], '/nowhere.json'],
    [['--prices', CLI], 'cannot be read as prices'],
    [['--gap', '0'], '--gap must be'],
    [['--gab', '3'], 'did you mean "--gap"?'],
  ])('refuses %j with exit 2', (args, message) => {
    const { status, stdout, stderr } = run(auditFolder(), 'audit', ...args)
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(message)
  })

  it('names the field of a file of prices that is wrong', () => {
    const file = join(auditFolder(), '..', 'rates.json')
    writeFileSync(file, JSON.stringify({ models: { mine: { input: -1, output: 2, cacheRead: 0 } } }))
    expect(run(auditFolder(), 'audit', '--prices', file).stderr).toContain('models.mine.input')
  })
})
