import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchReport, tools, toolsReport } from '../../src/cli/tools.js'
import { fixture } from '../support/gateway.js'
import { type OwnSession, openOwnSession, output } from '../support/local-session.js'

const SECRET = 'hunter2hunter2'
const ENTRY = { ...fixture('content-server.js'), env: { TOKEN: SECRET } }

let small: OwnSession
let large: OwnSession

beforeAll(async () => {
  small = await openOwnSession({ content: ENTRY, lost: { command: `no-such-command-${SECRET}`, env: { TOKEN: SECRET } } })
  large = await openOwnSession({ content: ENTRY }, { maxTools: 2, context: { catalog: { thresholdBytes: 1 } } })
})
afterAll(() => Promise.all([small.close(), large.close()]))

const run = ({ session }: OwnSession, query?: string, json = false) => output((write) => tools({ session, query, json, write }))

describe('sluice tools', () => {
  it('lists every tool with its tokens, and servers that are not there, without their secrets', async () => {
    const { text, exit } = await run(small)
    expect(text).toMatch(/^Listed: 6 of 6 tools; the list takes \d+ tokens/)
    expect(text).toMatch(/^ {2}content__echo +\d+ {2}Says what it is told$/m)
    expect(text).toMatch(/Not there:\n {2}lost: .*was not found/)
    expect(text).not.toContain(SECRET)
    expect(exit).toBe(1)
  })

  it('tells listed tools from deferred ones', async () => {
    const report = toolsReport.parse(JSON.parse((await run(large, undefined, true)).text))
    const listed = report.tools.filter((tool) => tool.listed)
    const { ok } = (await large.session.ask('tools/list', '{}')) as { ok: string }
    const seen = (JSON.parse(ok) as { tools: { name: string }[] }).tools.map(({ name }) => name)
    expect(seen.filter((name) => name.includes('__')).sort()).toEqual(listed.map(({ name }) => name).sort())
    expect(report.tools).toHaveLength(6)
    expect(listed.length).toBeLessThanOrEqual(2)
    expect((await run(large)).text).toMatch(/\nDeferred: .*\n {2}content__/)
  })

  it('searches as the model does', async () => {
    const request = JSON.stringify({ name: 'IndexSearch', arguments: { queries: ['numbered lines'], source: 'mcp/' } })
    const { ok } = (await large.session.ask('tools/call', request)) as { ok: string }
    const { text, exit } = await run(large, 'numbered lines')
    expect(text).toBe(`${(JSON.parse(ok) as { content: [{ text: string }] }).content[0].text}\n`)
    expect(text).toContain('content__lines')
    expect(exit).toBe(0)
    const report = searchReport.parse(JSON.parse((await run(large, 'numbered lines', true)).text))
    expect(report).toMatchObject({ query: 'numbered lines', isError: false })
  })

  it('refuses a query where nothing is indexed', async () => {
    const off = await openOwnSession({ content: ENTRY }, { mode: 'off', context: { responses: { enabled: false } } })
    await expect(run(off, 'x')).rejects.toMatchObject({ code: 'USAGE' })
    await off.close()
  })
})
