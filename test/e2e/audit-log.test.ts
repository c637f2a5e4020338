/** What gateways leave in the audit log: a line a call, sizes and hashes, nothing of what was said. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { StdioClient } from '../../bench/stdio-client.js'
import { statsReportSchema } from '../../src/cli/report-schemas.js'
import type { AuditLine, StatsReport } from '../../src/protocol/audit-api.js'
import { allLines, auditFolder, filesOf } from '../support/audit.js'
import { type CatalogRun, CatalogStage } from '../support/catalog-stage.js'
import { CLI, createHome, fixture, type Home, isolatedEnv, type ServerEntry } from '../support/gateway.js'
import { RawClient } from '../support/raw-client.js'

const stage = new CatalogStage()
afterEach(() => stage.close())

const servers = { content: fixture('content-server.js') }

/** What a session leaves behind. */
async function linesOf(run: CatalogRun, use: (client: Awaited<ReturnType<CatalogStage['open']>>) => Promise<void>) {
  const home = stage.folder()
  const client = await stage.open(servers, { ...run, home })
  await use(client)
  await client.close()
  return { lines: allLines(join(home, 'data/sluice')), home }
}

describe('the audit log of a session', () => {
  it('has a line for every call, with who and what, in the order of the answers', async () => {
    const { lines } = await linesOf({ clientName: 'tester' }, async (client) => {
      await client.toolNames()
      await client.text('content__echo', { message: 'hello', more: 1 })
      await client.text('content__echo', { more: 1, message: 'hello' })
      await client.text('content__lines', { count: 3000 })
      await client.text('content__lines', { count: 3000 })
      await client.text('IndexSearch', { queries: ['line 77'] })
      await client.text('IndexRead', { label: 'content__lines:1', limit: 5 })
      await client.text('content__raw', { json: '{"content":[{"type":"text","text":"no"}],"isError":true}' })
      await client.text('content__nope', {})
    })
    expect(lines.map(({ kind, server, tool, isError, receipt }) => [kind, server, tool, isError, receipt])).toEqual([
      ['list', null, 'tools/list', false, false],
      ['call', 'content', 'echo', false, false],
      ['call', 'content', 'echo', false, false],
      ['call', 'content', 'lines', false, true],
      ['call', 'content', 'lines', false, true],
      ['search', null, 'IndexSearch', false, false],
      ['read', null, 'IndexRead', false, false],
      ['call', 'content', 'raw', true, false],
      ['call', null, null, true, false],
    ])
    expect(new Set(lines.map(({ client, session }) => `${client} ${session}`))).toHaveProperty('size', 1)
    const [listed, first, second, large, again] = lines as [AuditLine, AuditLine, AuditLine, AuditLine, AuditLine]
    expect(listed.client).toBe('tester')
    expect(listed.responseTokens).toBeGreaterThan(100)
    expect([second.argsHash, second.resultHash]).toEqual([first.argsHash, first.resultHash])
    expect(large.sentBytes).toBeLessThan(large.responseBytes / 5)
    expect(large.sentTokens).toBeLessThan(large.responseTokens / 5)
    expect([again.argsHash, again.resultHash]).toEqual([large.argsHash, large.resultHash])
  })

  it('has the same for a tool that is called by name', async () => {
    const { lines } = await linesOf({}, async (client) => {
      await client.text('content__echo', { message: 'hello' })
      await client.text('IndexCall', { name: 'content__echo', arguments: { message: 'hello' } })
    })
    const alike = lines.map(({ kind, server, tool, argsHash, resultHash }) => ({ kind, server, tool, argsHash, resultHash }))
    expect(alike).toHaveLength(2)
    expect(alike[0]).toEqual(alike[1])
  })

  it('has the digest of a large answer that was not indexed, as of a small one', async () => {
    const image = { content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(200_000) }] }
    const run = (settings: object) =>
      linesOf({ settings }, async (client) => {
        for (let i = 0; i < 2; i++) await client.text('content__raw', { json: JSON.stringify(image) })
      })
    for (const settings of [{}, { context: { responses: { enabled: false } } }]) {
      const { lines } = await run(settings)
      expect(lines).toHaveLength(2)
      expect(lines[0]?.resultHash).toMatch(/^[\da-f]{32}$/)
      expect(lines[1]?.resultHash).toBe(lines[0]?.resultHash)
      expect(lines[0]).toMatchObject({ isError: false, receipt: false, sentTokens: 0, responseTokens: 0 })
    }
  })

  it('has a line for a call that was cancelled by the end of its client', async () => {
    const home = stage.folder()
    const client = await stage.open(servers, { home })
    void client.text('content__sleep', { ms: 60_000 }).catch(() => undefined)
    await client.text('content__echo', { message: 'after it' })
    await client.close()
    const lines = allLines(join(home, 'data/sluice'))
    expect(lines.map(({ tool, isError, resultHash }) => [tool, isError, resultHash === null])).toEqual([
      ['echo', false, false],
      ['sleep', true, true],
    ])
  })

  it('is summed up in sluice://stats', async () => {
    await linesOf({}, async (client) => {
      await client.toolNames()
      await client.text('content__lines', { count: 3000 })
      const report = await statsIn(client)
      expect(report).toMatchObject({ calls: 1, lists: 1, servers: [{ server: 'content', calls: 1 }] })
      expect(report.tokens.net).toBeLessThan(report.tokens.keptOut)
    })
  })

  it.each<[string, CatalogRun]>([
    ['--no-stats', { flags: ['--no-stats'] }],
    ['stats: false', { settings: { stats: false } }],
  ])('is not there with %s, and sluice://stats says so', async (_, run) => {
    const { home } = await linesOf(run, async (client) => {
      await client.toolNames()
      await client.text('content__echo', { message: 'x' })
      await expect(statsIn(client)).rejects.toThrow('stats: false')
    })
    const left = existsSync(join(home, 'data/sluice')) ? readdirSync(join(home, 'data/sluice')) : []
    expect(left.filter((name) => !['catalogs', 'prepared', 'machine.key'].includes(name))).toEqual([])
  })
})

describe('a secret', () => {
  const SECRET = 'hush-7f3a9c'
  const planted: Record<string, ServerEntry> = {
    content: { ...fixture('content-server.js'), env: { TOKEN: `${SECRET}-env` } },
    web: { url: `http://user:${SECRET}-password@127.0.0.1:9/mcp`, headers: { Authorization: `Bearer ${SECRET}-header` } },
  }

  it.each([[[]], [['--log-json']]])('is in no log and no file (%j)', async (flags) => {
    const home = createHome(planted, {})
    try {
      const stderr = await session(home, [...flags, '--log-level', 'debug'], async (client) => {
        await client.call('content__echo', { message: `${SECRET}-argument` })
        await client.call('content__lines', { count: 3000, word: `${SECRET}-result` })
        await client.call('IndexSearch', { queries: [`${SECRET}-query`] })
        await client.call(`${SECRET}-tool`, {})
        await client.request('prompts/get', { name: `${SECRET}-prompt` })
        await client.request('resources/read', { uri: `x://${SECRET}-uri` })
      })
      expect(stderr).toContain('indexed')
      expect(stderr).not.toContain(SECRET)
      const dataDir = join(home.folder, 'data/sluice')
      expect(allLines(dataDir).length).toBeGreaterThanOrEqual(4)
      for (const file of filesUnder(dataDir)) expect(readFileSync(file, 'latin1'), file).not.toContain(SECRET)
    } finally {
      home.remove()
    }
  })
})

describe('two gateways and a reader', () => {
  it('lose and tear no line of 10,000 calls, rotation included', async () => {
    const home = createHome(servers, {})
    const dataDir = auditFolder()
    const script = fixture('audit-gateway.js').args?.[0] ?? ''
    const gateways = [1, 2].map(
      () => new StdioClient(process.execPath, [script, home.config, dataDir, '200000'], isolatedEnv(home.folder)),
    )
    try {
      await Promise.all(gateways.map((gateway) => gateway.initialize()))
      let calling = true
      const called = Promise.all(gateways.map((gateway) => echoes(gateway, 5_000))).finally(() => {
        calling = false
      })
      let seen = 0
      while (calling) {
        const { calls, damagedLines } = await statsOf(dataDir)
        expect(damagedLines).toBe(0)
        expect(calls).toBeGreaterThanOrEqual(seen)
        seen = calls
      }
      await called
    } finally {
      await Promise.all(gateways.map((gateway) => gateway.close()))
      home.remove()
    }
    const lines = allLines(dataDir).filter(({ kind }) => kind === 'call')
    expect(lines).toHaveLength(10_000)
    const sessions = [...new Set(lines.map(({ session }) => session))]
    expect(sessions).toHaveLength(2)
    for (const one of sessions) {
      const hashes = lines.flatMap(({ session, argsHash }) => (session === one ? [argsHash] : []))
      expect(new Set(hashes)).toHaveProperty('size', 5_000)
    }
    expect(filesOf(dataDir).size).toBeGreaterThan(5)
    expect(await statsOf(dataDir)).toMatchObject({ calls: 10_000, sessions: 2, damagedLines: 0 })
    for (const file of filesUnder(join(dataDir, 'audit'))) expect(statSync(file).mode & 0o777, file).toBe(0o600)
  })
})

async function echoes(gateway: StdioClient, calls: number): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < calls) await gateway.call('content__echo', { message: `call ${next++}` })
  }
  await Promise.all(Array.from({ length: 16 }, lane))
}

/** What `sluice stats --json` prints. */
async function statsOf(dataDir: string): Promise<StatsReport> {
  const child = spawn(process.execPath, [CLI, 'stats', '--json'], {
    env: { ...isolatedEnv(dataDir), SLUICE_DATA_DIR: dataDir },
  })
  const ended = once(child, 'exit')
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(errors).toBe('')
  expect(await ended).toEqual([0, null])
  return statsReportSchema.parse(JSON.parse(out))
}

async function statsIn(client: Awaited<ReturnType<CatalogStage['open']>>): Promise<StatsReport> {
  const { result, error } = await client.raw.ask('resources/read', { uri: 'sluice://stats' })
  if (error) throw new Error(error.message)
  const [content] = (result?.['contents'] ?? []) as { text: string }[]
  return statsReportSchema.parse(JSON.parse(content?.text ?? ''))
}

/** A session over stdio, and what the gateway has logged by its end. */
async function session(home: Home, flags: readonly string[], use: (client: RawClient) => Promise<void>): Promise<string> {
  const child = spawn(process.execPath, [CLI, '--config', home.config, ...flags], { env: isolatedEnv(home.folder) })
  const logged = text(child.stderr)
  const client = new RawClient((heard) => {
    createInterface({ input: child.stdout }).on('line', (line) => heard(line))
    return {
      send: (frame) => new Promise((resolve) => child.stdin.write(`${frame}\n`, () => resolve())),
      listen: () => Promise.resolve(),
      async close() {
        child.stdin.end()
        await logged
      },
    }
  })
  await client.initialize({})
  await use(client)
  await client.close()
  return logged
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
