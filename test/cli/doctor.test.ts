import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doctor } from '../../src/cli/doctor.js'
import { type DoctorReport, doctorReport, toolReport } from '../../src/cli/doctor-report.js'
import { examineServer } from '../../src/cli/examine-server.js'
import { fixture } from '../support/gateway.js'
import { type OwnSession, openOwnSession, output } from '../support/local-session.js'

const SECRET = 'hunter2hunter2'
const CATALOG = {
  tools: [
    { name: 'plain', inputSchema: { type: 'object', properties: { a: { title: 'A', type: 'string' } } } },
    { name: 'odd name!', inputSchema: { type: 'object' } },
    { name: 'broken', inputSchema: { type: 'string' } },
    { name: 'secret', inputSchema: { type: 'object' } },
  ],
}

let file = ''
let login: Server
let ill: OwnSession
let well: OwnSession

beforeAll(async () => {
  file = join(tmpdir(), `sluice-doctor-${process.pid}.json`)
  writeFileSync(file, JSON.stringify(CATALOG))
  login = createServer((_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end())
  await new Promise<void>((resolve) => login.listen(0, '127.0.0.1', resolve))
  const { port } = login.address() as AddressInfo
  ill = await openOwnSession(
    {
      cat: { ...fixture('catalog-server.js', file), exclude: ['secret'], exlude: [] },
      lost: { command: 'no-such-command', args: [`--token=${SECRET}`], env: { TOKEN: SECRET } },
      login: { url: `http://127.0.0.1:${port}/mcp?key=${SECRET}` },
      both: { command: 'x', url: `http://x/${SECRET}` },
      off: { command: 'x', disabled: true },
    },
    { pins: ['nope'] },
  )
  well = await openOwnSession(
    { content: fixture('content-server.js') },
    { maxTools: 1, context: { catalog: { thresholdBytes: 1 } } },
  )
})
afterAll(async () => {
  login.close()
  rmSync(file)
  await Promise.all([ill.close(), well.close()])
})

const run = ({ session }: OwnSession, tool?: string, json = false) => output((write) => doctor({ session, tool, json, write }))

describe('sluice doctor', () => {
  it('ends with 0 where all is well', async () => {
    const { text, exit } = await run(well)
    expect(text).toMatch(/✓ content: 6 tools, 0 resources, 0 prompts; ready in \d+ ms\n/)
    expect(text).toMatch(/Tools: [01] listed, [56] deferred; .*\nAll is well\.\n$/)
    expect(exit).toBe(0)
  })

  it('says of each server what is wrong, and of the configuration', async () => {
    const { text, exit } = await run(ill, undefined, true)
    const report = doctorReport.parse(JSON.parse(text))
    expect(exit).toBe(1)
    expect(report.ok).toBe(false)
    expect(report.servers.map(({ name, state }) => [name, state])).toEqual([
      ['cat', 'ready'],
      ['lost', 'failed'],
      ['login', 'failed'],
      ['both', 'disabled'],
      ['off', 'off'],
    ])
    expect(problemsOf(report)).toEqual([
      ['configuration', expect.stringContaining('did you mean "exclude"')],
      ['pin', 'no tool is called nope'],
      ['command not found', expect.stringContaining('"no-such-command" was not found')],
      ['needs login', 'server "login" needs a login; run: sluice login login'],
      ['configuration', expect.stringContaining('has both command and url')],
    ])
    const [cat] = report.servers
    expect(cat?.findings.map(({ kind, level, what }) => [kind, level, what])).toEqual([
      ['bad schema', 'note', expect.stringContaining('broken: inputSchema')],
      ['renamed', 'note', expect.stringMatching(/^odd name! is called cat__odd_name_/)],
      ['hidden', 'note', 'secret, by include or exclude of its entry'],
    ])
  })

  it('prints it for a person, without a secret, and names what it waits for', async () => {
    const { text } = await run(ill)
    expect(text).toMatch(/^✗ lost: failed\n {4}! command not found: .*\n {6}→ check its command and PATH$/m)
    expect(text).toMatch(/\n5 problems\.\n$/)
    const shown: string[] = []
    await doctor({
      session: ill.session,
      tool: undefined,
      json: true,
      write: () => undefined,
      progress: (line) => shown.push(line),
    })
    expect(shown[0]).toBe('0 of 3 servers; waiting for cat, lost, login')
    expect(shown.at(-1)).toBe('')
    expect(text + shown.join('')).not.toContain(SECRET)
  })

  it('tells of a slow start', () => {
    const [upstream] = well.session.context.upstreams.all()
    if (!upstream) throw new Error('no server')
    const kinds = (startMs: number) =>
      examineServer(well.session.context, upstream, startMs).findings.map(({ kind, level }) => `${level}: ${kind}`)
    expect(kinds(5_000)).toEqual([])
    expect(kinds(5_001)).toEqual(['problem: slow start'])
  })
})

describe('sluice doctor --tool', () => {
  const explain = async (own: OwnSession, tool: string) => {
    const { text, exit } = await run(own, tool, true)
    return { ...toolReport.parse(JSON.parse(text)), exit }
  }

  it('says what name and schema were changed to', async () => {
    expect(await explain(ill, 'cat__plain')).toMatchObject({
      state: 'listed',
      server: 'cat',
      tool: 'plain',
      changes: expect.arrayContaining([
        { what: expect.stringContaining('listed as {"type":"object"'), why: expect.any(String) },
      ]),
      exit: 0,
    })
    expect(await explain(ill, 'cat::odd name!')).toMatchObject({
      changes: expect.arrayContaining([{ what: expect.stringMatching(/^named cat__odd_name_/), why: expect.any(String) }]),
    })
    expect((await explain(ill, 'broken')).changes[0]?.what).toContain('inputSchema')
  })

  it('says why a tool is not listed', async () => {
    const { text: list } = await run(well, 'content__file')
    const states = await Promise.all(CONTENT_TOOLS.map((tool) => explain(well, tool)))
    const deferred = states.filter(({ state }) => state === 'deferred')
    expect(deferred.length).toBeGreaterThan(4)
    for (const { why, exit } of deferred) expect([why, exit]).toEqual([expect.stringContaining('maxTools (1)'), 0])
    expect(list).toMatch(/^content__file: (?:listed|deferred); /)
    expect(await explain(ill, 'cat::secret')).toMatchObject({ state: 'hidden', tool: 'secret', exit: 1 })
  })

  it('names the nearest of a name that nobody has, and the servers that are not there', async () => {
    const { why, state, exit } = await explain(ill, 'cat__plan')
    expect([state, exit]).toEqual(['unknown', 1])
    expect(why).toContain('did you mean "cat__plain"?; these servers are not there: both, lost, login')
  })
})

// --- internal ---

const CONTENT_TOOLS = ['echo', 'file', 'raw', 'lines', 'sleep', 'exit'].map((tool) => `content::${tool}`)

function problemsOf({ general, servers }: DoctorReport): [string, string][] {
  return [...general, ...servers.flatMap(({ findings }) => findings)]
    .filter(({ level }) => level === 'problem')
    .map(({ kind, what }) => [kind, what])
}
