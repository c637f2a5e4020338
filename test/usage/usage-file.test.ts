import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { ToolRef, ToolUse, UsageScores } from '../../src/protocol/usage-api.js'
import { HALF_LIFE_MS } from '../../src/usage/decay.js'
import { readUsage, recordUses } from '../../src/usage/usage-file.js'
import { MAX_PAIRS, MAX_TOOLS } from '../../src/usage/usage-tables.js'
import { usageFolder } from '../support/usage.js'

const NOW = Date.UTC(2026, 10, 30)
const DAY = 86_400_000
const ref = (tool: string): ToolRef => ({ server: 'github', tool })
const use = (tool: string, atMs: number, after?: string): ToolUse => ({
  ...ref(tool),
  atMs,
  ...(after !== undefined && { after: ref(after) }),
})

describe('the usage file', () => {
  const folders: { remove(): void }[] = []
  const create = () => {
    const made = usageFolder()
    folders.push(made)
    return made
  }
  /** What is learned from batches in a new file. */
  const learn = (...batches: ToolUse[][]): UsageScores => {
    const { file } = create()
    for (const uses of batches) recordUses({ file, uses }, NOW)
    return readUsage({ file })
  }
  afterEach(() => {
    for (const folder of folders.splice(0)) folder.remove()
  })

  it('reads nothing where there is no file, and makes none', () => {
    const { file, folder } = create()
    expect(readUsage({ file })).toEqual({ scores: [], pairs: [] })
    expect(recordUses({ file, uses: [] })).toEqual({})
    expect(readdirSync(folder)).toEqual([])
  })

  it('sums the uses of a tool, each faded against the last recorded use', () => {
    const { scores } = learn(
      [use('old', NOW - 2 * HALF_LIFE_MS), use('new', NOW)],
      [use('old', NOW - HALF_LIFE_MS), use('new', NOW - HALF_LIFE_MS), use('new', NOW)],
    )
    expect(scores.map(({ tool }) => tool)).toEqual(['new', 'old'])
    expect(scores[0]?.score).toBeCloseTo(2.5, 9)
    expect(scores[1]?.score).toBeCloseTo(0.75, 9)
  })

  it('fades nothing while nothing is used, and reads the same bytes each time', () => {
    const { file } = create()
    recordUses({ file, uses: [use('a', NOW - 400 * DAY), use('b', NOW - 400 * DAY, 'a')] }, NOW)
    const first = readUsage({ file })
    expect(first.scores.map(({ score }) => score)).toEqual([1, 1])
    expect(JSON.stringify(readUsage({ file }))).toBe(JSON.stringify(first))
  })

  it('orders equal tools by name', () => {
    const { scores } = learn([use('b', NOW), use('a', NOW)], [{ server: 'a', tool: 'z', atMs: NOW }])
    expect(scores.map(({ tool }) => tool)).toEqual(['z', 'a', 'b'])
  })

  it('learns which tool follows which, but not from one tool twice in a row', () => {
    const { pairs } = learn(
      [use('list', NOW), use('list', NOW, 'list'), use('read', NOW, 'list')],
      [use('read', NOW - HALF_LIFE_MS, 'list'), { server: 'other', tool: 'read', after: ref('read'), atMs: NOW }],
    )
    expect(pairs).toEqual([
      { from: ref('list'), to: ref('read'), weight: expect.closeTo(1.5, 9) },
      { from: ref('read'), to: { server: 'other', tool: 'read' }, weight: 1 },
    ])
  })

  it.each(['__proto__', 'a\u0000b', `'"; DROP TABLE tool`, '数据', ''])('takes %j for a name', (name) => {
    const { scores, pairs } = learn([{ server: name, tool: name, atMs: NOW, after: { server: name, tool: 'x' } }])
    expect(scores).toEqual([{ server: name, tool: name, score: 1 }])
    expect(pairs).toEqual([{ from: { server: name, tool: 'x' }, to: { server: name, tool: name }, weight: 1 }])
  })

  const someUses = fc.array(
    fc.record({
      tool: fc.constantFrom('a', 'b', 'c'),
      before: fc.constantFrom(undefined, 'a', 'b'),
      atMs: fc.integer({ min: NOW - 300 * DAY, max: NOW }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  const toUses = (drawn: readonly { tool: string; before: string | undefined; atMs: number }[]) =>
    drawn.map(({ tool, before, atMs }) => use(tool, atMs, before))

  it('learns the same from any order and any split into batches, up to rounding', () => {
    fc.assert(
      fc.property(someUses, fc.nat(), (drawn, seed) => {
        const uses = toUses(drawn)
        const cut = seed % (uses.length + 1)
        const whole = learn(uses)
        expectAlike(learn(uses.slice(0, cut), uses.slice(cut)), whole)
        expectAlike(learn(...uses.toReversed().map((one) => [one])), whole)
      }),
      { numRuns: 15 },
    )
  })

  it('knows times by their distances only, and counts k equal uses k times', () => {
    fc.assert(
      fc.property(someUses, fc.integer({ min: 0, max: 1_000 }), (drawn, days) => {
        const uses = toUses(drawn)
        const whole = learn(uses)
        expectAlike(learn(uses.map((one) => ({ ...one, atMs: one.atMs - days * DAY }))), whole)
        expectAlike(learn(uses, uses, uses), {
          scores: whole.scores.map((tool) => ({ ...tool, score: 3 * tool.score })),
          pairs: whole.pairs.map((pair) => ({ ...pair, weight: 3 * pair.weight })),
        })
      }),
      { numRuns: 15 },
    )
  })

  it('recovers from a clock that was wrong once', () => {
    const { file } = create()
    const wrong = NOW + 5_000 * DAY
    recordUses({ file, uses: [use('a', wrong), use('b', wrong - HALF_LIFE_MS)] }, wrong)
    recordUses({ file, uses: [use('c', NOW), use('c', NOW)] }, NOW)
    const { scores } = readUsage({ file })
    expect(scores.map(({ tool }) => tool)).toEqual(['c', 'a', 'b'])
    expect(scores.map(({ score }) => score)).toEqual([2, 1, 0.5].map((score) => expect.closeTo(score, 9)))
  })

  it('counts a use later than the clock as one of now', () => {
    const { file } = create()
    recordUses({ file, uses: [use('a', NOW + 900 * DAY), use('b', NOW)] }, NOW)
    expect(readUsage({ file }).scores.map(({ score }) => score)).toEqual([1, 1])
  })

  it('drops the least valuable tools and pairs above its limits', () => {
    const { file } = create()
    const after = (i: number) => ({ server: `s${i % 100}`, tool: 'first' })
    const many = Array.from({ length: MAX_PAIRS + 10 }, (_, i) => ({ ...use(`t${i}`, NOW - DAY), after: after(i) }))
    recordUses({ file, uses: [use('rare', NOW - 100 * DAY, 'x'), ...many, use('kept', NOW, 'x')] }, NOW)
    const { scores, pairs } = readUsage({ file })
    expect([scores.length, pairs.length]).toEqual([MAX_TOOLS, MAX_PAIRS])
    expect(scores[0]?.tool).toBe('kept')
    expect(scores.some(({ tool }) => tool === 'rare')).toBe(false)
    recordUses({ file, uses: [use('newest', NOW)] }, NOW)
    expect(readUsage({ file }).scores.slice(0, 2)).toEqual([
      { ...ref('kept'), score: 1 },
      { ...ref('newest'), score: 1 },
    ])
  })

  it('is readable by its owner alone, as are its folder and its journal', () => {
    const { folder } = create()
    const file = path.join(folder, 'deep', 'er', 'usage.db')
    recordUses({ file, uses: [use('a', NOW)] }, NOW)
    expect(modeOf(file)).toBe(0o600)
    expect([modeOf(path.dirname(file)), modeOf(path.join(folder, 'deep'))]).toEqual([0o700, 0o700])
    expect(readdirSync(path.dirname(file))).toEqual(['usage.db'])
    const db = new Database(file)
    db.exec('BEGIN; DELETE FROM tool')
    expect(modeOf(`${file}-journal`)).toBe(0o600)
    db.exec('ROLLBACK')
    db.close()
  })

  it('takes back the rights of others', () => {
    const { file } = create()
    writeFileSync(file, '')
    chmodSync(file, 0o666)
    recordUses({ file, uses: [use('a', NOW)] }, NOW)
    expect(modeOf(file)).toBe(0o600)
    expect(existsSync(`${file}-journal`)).toBe(false)
  })
})

function modeOf(file: string): number {
  return statSync(file).mode & 0o777
}

/** Equal up to rounding, whatever the order of (nearly) equal entries. */
function expectAlike(one: UsageScores, other: UsageScores): void {
  const flat = ({ scores, pairs }: UsageScores) =>
    new Map([
      ...scores.map(({ server, tool, score }) => [JSON.stringify([server, tool]), score] as const),
      ...pairs.map(({ from, to, weight }) => [JSON.stringify([from, to]), weight] as const),
    ])
  const [left, right] = [flat(one), flat(other)]
  expect(new Set(left.keys())).toEqual(new Set(right.keys()))
  for (const [key, value] of left) expect(value / (right.get(key) ?? 0)).toBeCloseTo(1, 8)
}
