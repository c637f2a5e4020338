import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, callReport, checkArguments } from '../../src/cli/call.js'
import { fixture } from '../support/gateway.js'
import { type OwnSession, openOwnSession, output } from '../support/local-session.js'

let own: OwnSession

beforeAll(async () => {
  own = await openOwnSession(
    { content: fixture('content-server.js') },
    { maxTools: 1, context: { catalog: { thresholdBytes: 1 } } },
  )
})
afterAll(() => own.close())

const run = (tool: string, argumentsJson?: string, json = false) =>
  output((write) => call({ session: own.session, tool, argumentsJson, json, write }))
const raw = (result: string, json = false) => run('content__raw', JSON.stringify({ json: result }), json)

describe('sluice call', () => {
  it('calls a tool, listed or not, by its name or its label', async () => {
    for (const name of ['content__echo', 'content__lines', 'mcp/content/tool/echo']) {
      const { text, exit } = await run(name, '{"message":"hello","count":2}')
      expect([text, exit]).toEqual([name.endsWith('lines') ? 'line 1 plain\nline 2 plain\n' : 'hello\n', 0])
    }
  })

  it('shows what the model would get of a large result', async () => {
    const { text } = await run('content__lines', '{"count":5000}')
    expect(text).toMatch(/^\[Response compressed — \d+ bytes, 5000 lines, indexed as "content__lines:\d+"\]/)
  })

  it('prints the raw result, to the byte', async () => {
    const result = '{"content":[{"type":"text","text":"x","n":1.0}],"new":[1e400, 2],"_meta":{}}'
    expect(await raw(result, true)).toEqual({ text: `${result}\n`, exit: 0 })
    expect(callReport.safeParse(JSON.parse(result)).success).toBe(true)
  })

  it('names what is no text', async () => {
    const result = {
      content: [
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'a:b', text: 'inside' } },
        { type: 'resource', resource: { uri: 'a:c', blob: 'AAAA' } },
        { type: 'resource_link', uri: 'a:d' },
      ],
      structuredContent: { n: 1 },
    }
    const { text } = await raw(JSON.stringify(result))
    expect(text.split('\n\n')).toEqual([
      '[image image/png, 3 bytes]',
      'inside',
      '[resource a:c, 3 bytes]',
      '[resource_link a:d]',
      '{\n  "n": 1\n}\n',
    ])
  })

  it('ends with 1 where the tool has failed or is unknown', async () => {
    expect((await raw('{"content":[],"isError":true}')).exit).toBe(1)
    expect(await run('content__ech')).toMatchObject({ exit: 1, text: expect.stringContaining('Did you mean "content__echo"') })
  })

  it('reports a JSON-RPC error', async () => {
    const { text, exit } = await run('content__exit', undefined, true)
    expect(callReport.parse(JSON.parse(text))).toMatchObject({ error: { code: expect.any(Number) } })
    expect(exit).toBe(1)
  })

  it.each(['[1]', '1', '{', 'null'])('refuses %s as arguments', (json) => {
    expect(() => checkArguments(json)).toThrow(expect.objectContaining({ code: 'USAGE' }))
  })
})
