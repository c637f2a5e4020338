/** What is suggested from use, of a log that was really written. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readToolUse } from '../../src/cli/read-tool-use.js'
import { renderTuning, tuningOf, tuningReport } from '../../src/cli/tuning.js'
import type { ToolFacts } from '../../src/gateway/tool-facts.js'
import { auditFolder, auditLine } from '../support/audit.js'

const tool = (server: string, name: string, more: Partial<ToolFacts> = {}): ToolFacts => ({
  name: `${server}__${name}`,
  server,
  tool: name,
  listed: true,
  isUnfitPin: false,
  tokens: 200,
  json: '{}',
  ...more,
})

/** A log with so many calls of each tool. */
function logOf(calls: Readonly<Record<string, { times: number; sentTokens?: number; receipt?: boolean }>>): string {
  const dataDir = auditFolder()
  mkdirSync(join(dataDir, 'audit'), { recursive: true })
  const lines = Object.entries(calls).flatMap(([key, { times, ...line }]) => {
    const [server = '', name = ''] = key.split('::')
    return Array.from({ length: times }, (_, at) => JSON.stringify(auditLine({ server, tool: name, seconds: at, ...line })))
  })
  appendFileSync(join(dataDir, 'audit/000001.jsonl'), `${lines.join('\n')}\n`)
  return dataDir
}

async function tuned(dataDir: string, tools: readonly ToolFacts[], more: { pins?: string[]; maxTools?: number } = {}) {
  const report = tuningOf({ use: await readToolUse(dataDir), tools, pins: [], maxTools: 4, ...more })
  return { report: tuningReport.parse(report), text: renderTuning(report) }
}

describe('tuning', () => {
  it('wants 50 calls first, and says how many there are', async () => {
    const { report, text } = await tuned(logOf({ 'a::x': { times: 49 } }), [tool('a', 'x', { listed: false })])
    expect(report).toEqual({ calls: 49, needed: 50, suggestions: [] })
    expect(text).toContain('49 calls are recorded; 50 are needed')
  })

  it('pins what is often called and not listed, beside the pins that are there', async () => {
    const log = logOf({ 'a::x': { times: 40 }, 'a::y': { times: 30 }, 'a::z': { times: 1 } })
    const tools = [tool('a', 'x', { listed: false }), tool('a', 'y'), tool('a', 'z', { listed: false })]
    const { report } = await tuned(log, tools, { pins: ['a__y'] })
    expect(report.suggestions).toEqual([
      {
        kind: 'pins',
        server: null,
        why: 'often called and not listed: a__x (40 calls)',
        todo: `sluice config set pins '["a__y","a__x"]'`,
      },
    ])
  })

  it('fits maxTools to the number of tools in use', async () => {
    const log = logOf({ 'a::x': { times: 60 } })
    const { report } = await tuned(log, [tool('a', 'x'), tool('a', 'y', { listed: false })], { maxTools: 24 })
    expect(report.suggestions).toMatchObject([{ kind: 'maxTools', todo: 'sluice config set maxTools 1' }])
  })

  it('leaves out what costs and was never called', async () => {
    const log = logOf({ 'a::x': { times: 60 } })
    const { report } = await tuned(log, [tool('a', 'x'), tool('a', 'y'), tool('b', 'z'), tool('c', 'w', { tokens: 20 })])
    expect(report.suggestions).toMatchObject([
      { kind: 'exclude', server: 'a', todo: '"exclude": ["y"]' },
      { kind: 'exclude', server: 'b', why: expect.stringContaining('200 tokens'), todo: '"disabled": true' },
    ])
  })

  it('lowers the threshold of tools whose results pass whole and are long, not of those that are indexed', async () => {
    const log = logOf({
      'a::x': { times: 60, sentTokens: 3_000 },
      'a::y': { times: 60, sentTokens: 3_000, receipt: true },
      'a::z': { times: 4, sentTokens: 3_000 },
    })
    const { report, text } = await tuned(log, [tool('a', 'x'), tool('a', 'y'), tool('a', 'z')])
    expect(report.suggestions).toMatchObject([
      { kind: 'responseThreshold', server: 'a', todo: '"responseThreshold": {"x":4096}' },
    ])
    expect(text).toContain('x (3000 tokens)')
  })

  it('has nothing to say where all is used well, or nothing was recorded', async () => {
    expect((await tuned(logOf({ 'a::x': { times: 60 } }), [tool('a', 'x')])).text).toContain('nothing to suggest')
    expect((await tuned(auditFolder(), [])).report.calls).toBe(0)
  })
})
