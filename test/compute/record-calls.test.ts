import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { linesOf } from '../../src/compute/record-calls.js'
import { CallBatchBuilder, type RecordedCall } from '../../src/gateway/call-batch.js'
import { answerFacts } from '../../src/protocol/answer-facts.js'
import { ANSWERED, type AuditLine, type CallRoute, RECEIPT, UNANSWERED } from '../../src/protocol/audit-api.js'

const KEY = randomBytes(32)
const ROUTE: CallRoute = { session: 's', client: 'c', server: 'github', tool: 'get', kind: 'call' }
const frame = (message: object) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
const asked = (args?: object, id = 1) =>
  frame({
    id,
    method: 'tools/call',
    params: { name: 'github__get', ...(args && { arguments: args }), _meta: { progressToken: id } },
  })
const text = (...texts: string[]) => frame({ id: 1, result: { content: texts.map((one) => ({ type: 'text', text: one })) } })

function lines(...calls: Partial<RecordedCall>[]): AuditLine[] {
  const builder = new CallBatchBuilder(0)
  for (const call of calls) {
    const sent = 'sent' in call ? call.sent : text('hello')
    const sizes = { requestBytes: 10, responseBytes: 20, sentBytes: sent?.length ?? 0 }
    const times = { startedAt: Date.UTC(2026, 8, 8), durationMs: 1.23456 }
    builder.add({ route: ROUTE, ...times, ...sizes, asked: asked({}), outcome: ANSWERED, extra: undefined, ...call, sent })
  }
  return linesOf(builder.handOver().batch, KEY)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AuditLine)
}

const hashes = (...calls: Partial<RecordedCall>[]) => lines(...calls).map(({ argsHash }) => argsHash)

describe('a line of the audit log', () => {
  it('has sizes, counts, times and who asked whom', () => {
    const [line] = lines({})
    expect(line).toEqual({
      ts: '2026-09-08T00:00:00.000Z',
      session: 's',
      client: 'c',
      server: 'github',
      tool: 'get',
      kind: 'call',
      argsHash: expect.stringMatching(/^[\da-f]{32}$/),
      resultHash: expect.stringMatching(/^[\da-f]{32}$/),
      requestBytes: 10,
      responseBytes: 20,
      responseTokens: 1,
      sentBytes: text('hello').length,
      sentTokens: 1,
      tokensEstimated: false,
      isError: false,
      receipt: false,
      durationMs: 1.235,
    })
  })

  it('has one hash for arguments alike, however written, and however they came', () => {
    const same = [asked({ b: 1, a: 'x' }), asked({ a: 'x', b: 1 }, 2), ' {"a": "x", "b": 1}']
    expect(new Set(hashes(...same.map((one) => ({ asked: one }))))).toHaveProperty('size', 1)
    expect(new Set(hashes({ asked: asked({ a: 1 }) }, { asked: asked({ a: 2 }) }, { asked: asked() }))).toHaveProperty(
      'size',
      3,
    )
    expect(new Set(hashes({ asked: asked() }, { asked: asked({}) }))).toHaveProperty('size', 1)
  })

  it('has hashes that tell nothing to who has not the key', () => {
    const builder = () => {
      const one = new CallBatchBuilder(0)
      one.add({ ...base, asked: asked({ password: '1234' }) })
      return one.handOver().batch
    }
    const base = {
      route: ROUTE,
      startedAt: 0,
      durationMs: 0,
      requestBytes: 0,
      responseBytes: 0,
      sentBytes: 0,
      sent: text('x'),
      outcome: ANSWERED,
      extra: undefined,
    }
    const hashOf = (key: Uint8Array) => (JSON.parse(linesOf(builder(), key)) as AuditLine).argsHash
    expect(hashOf(KEY)).toBe(hashOf(KEY))
    expect(hashOf(KEY)).not.toBe(hashOf(randomBytes(32)))
  })

  it('keeps calls apart whose bytes stand side by side', () => {
    const found = lines(
      { sent: text('one') },
      { sent: text('two two') },
      { sent: undefined, outcome: UNANSWERED },
      { sent: text('one') },
    )
    expect(found.map(({ sentTokens }) => sentTokens)).toEqual([1, 2, 0, 1])
    expect(found[0]?.resultHash).toBe(found[3]?.resultHash)
    expect(found[0]?.resultHash).not.toBe(found[1]?.resultHash)
    expect(found[2]).toMatchObject({ resultHash: null, isError: true })
  })

  it('counts what a receipt kept out, the same for the same result', () => {
    const response = Array.from({ length: 3_000 }, (_, i) => `line ${i}`).join('\n')
    const facts = answerFacts(text(response))
    const receipt = (label: string) => ({ sent: text(label), outcome: RECEIPT, extra: { ...(facts && { facts }) } })
    const [first, second] = lines(receipt('a receipt: 1'), receipt('a receipt: 2'))
    expect(first).toMatchObject({ receipt: true, tokensEstimated: false })
    expect(first?.responseTokens).toBeGreaterThan(9_000)
    expect(first?.sentTokens).toBeLessThan(10)
    expect(first?.resultHash).toBe(second?.resultHash)
    expect(first?.resultHash).toBe(lines({ sent: text(response) })[0]?.resultHash)
  })

  it('claims nothing kept out of what passed as it came, estimated or not', () => {
    const long = 'word '.repeat(40_000)
    const facts = answerFacts(text(long))
    const [copied, given, read] = lines(
      { sent: text(long) },
      { sent: undefined, extra: { frame: text(long) } },
      { sent: undefined, extra: { ...(facts && { facts }) } },
    )
    for (const line of [copied, given, read]) {
      expect(line).toMatchObject({ tokensEstimated: true, receipt: false, sentTokens: line?.responseTokens })
      expect(line?.sentTokens).toBeGreaterThan(35_000)
    }
  })

  it('marks what a long unbroken run makes an estimate', () => {
    expect(lines({ sent: text('x'.repeat(5_000)) })[0]).toMatchObject({ tokensEstimated: true })
  })

  it('counts a list as the array that it is, and beside it the servers’ definitions', () => {
    const tools = [{ name: 'get', description: 'Gets' }, { name: 'put' }]
    const list = frame({ id: 1, result: { tools, nextCursor: 'x' } })
    const route: CallRoute = { ...ROUTE, server: null, tool: 'tools/list', kind: 'list' }
    const definitions = { texts: [JSON.stringify(tools), JSON.stringify(tools)], chars: 2 * JSON.stringify(tools).length }
    const [line, bare] = lines({ route, sent: list, extra: { definitions } }, { route, sent: list })
    expect(line).toMatchObject({ server: null, kind: 'list', tokensEstimated: false })
    expect(line?.responseTokens).toBe(2 * (line?.sentTokens ?? 0))
    expect(bare?.responseTokens).toBe(0)
  })

  it('claims nothing for the gateway’s own tools', () => {
    const route: CallRoute = { ...ROUTE, server: null, tool: 'IndexSearch', kind: 'search' }
    expect(lines({ route })[0]).toMatchObject({ responseTokens: 0, sentTokens: 1 })
  })
})
