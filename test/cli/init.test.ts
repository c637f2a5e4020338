import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { SluiceError } from '../../src/base/errors.js'
import { chooseClients } from '../../src/cli/choose-clients.js'
import { type InitContext, type InitFlags, init } from '../../src/cli/init.js'
import { type InitReport, initReport } from '../../src/cli/init-report.js'
import { ownLaunch } from '../../src/cli/start-init.js'
import { isSluice } from '../../src/config/clients/own-entry.js'
import type { Environment } from '../../src/config/environment.js'
import { loadConfig } from '../../src/config/load-config.js'
import { CLIENT_HOMES, clientFile, furnish, PLANTED } from '../support/client-homes.js'
import { testEnvironment, writeTo } from '../support/environment.js'

async function run(flags: InitFlags, environment: Environment, more: Partial<InitContext> = {}) {
  let said = ''
  const launch = { command: 'sluice', args: ['--config', path.join(environment.configDir, 'sluice.json')] }
  const code = await init(flags, { environment, launch, write: (text) => (said += text), ...more })
  expect(said).not.toMatch(PLANTED)
  return { code, said }
}

async function report(flags: InitFlags, environment: Environment): Promise<InitReport & { code: number }> {
  const { code, said } = await run({ ...flags, json: true }, environment)
  return { code, ...initReport.parse(JSON.parse(said)) }
}

const contents = (files: readonly string[]) => files.map((file) => readFileSync(file, 'utf8'))

describe('sluice init', () => {
  it('shows what it found and what it would do, and writes nothing', async () => {
    const environment = testEnvironment()
    const files = furnish(environment)
    const before = contents(files)
    const { code, said } = await run({}, environment)
    expect(code).toBe(0)
    expect(said).toContain('Claude Desktop: ')
    expect(said).toContain('  github: npx -y @modelcontextprotocol/server-github (with GITHUB_TOKEN)')
    expect(said).toContain('  linear: https://***:***@mcp.linear.app/sse?key=***')
    expect(said).toContain(
      '  mcp-server-github: nothing (neither command nor url) (stays: an extension of the client brings it)',
    )
    expect(said).toContain('would hand over 2 servers (github, files)')
    expect(said).toContain('Nothing was written. Add --yes')
    expect(contents(files)).toEqual(before)
    expect(existsSync(environment.configDir)).toBe(false)
  })

  it('wires all that it found, twice without a difference, and undoes it byte for byte', async () => {
    const environment = testEnvironment({ FIGMA_TOKEN: 'x' })
    const files = furnish(environment)
    const before = contents(files)
    const first = await report({ yes: true }, environment)
    expect(first).toMatchObject({ code: 0, action: 'init' })
    expect(first.clients.map(({ client, state, change }) => [client, state, change])).toEqual(
      CLIENT_HOMES.map(({ client }) => [client, 'wired', 'written']),
    )
    const once = contents(files)
    const second = await report({ yes: true }, environment)
    expect(second.clients.every(({ change, backup }) => change === 'none' && backup === null)).toBe(true)
    expect(contents(files)).toEqual(once)
    expect(loadConfig({ environment }).servers).toHaveLength(12)
    expect((await run({ undo: true }, environment)).said).toContain('put back byte for byte')
    expect(contents(files)).toEqual(before)
    expect(await run({ undo: true }, environment)).toEqual({ code: 0, said: 'Nothing to undo.\n' })
  })

  it.each(CLIENT_HOMES)('wires $client alone', async ({ client }) => {
    const environment = testEnvironment()
    const files = furnish(environment)
    const before = contents(files)
    const { code, clients } = await report({ client, yes: true }, environment)
    expect(code).toBe(0)
    expect(clients).toMatchObject([{ client, state: 'wired', change: 'written', backup: expect.stringContaining('.bak') }])
    expect(contents(files).filter((text, index) => text !== before[index])).toHaveLength(1)
    await run({ client, undo: true }, environment)
    expect(contents(files)).toEqual(before)
  })

  it('refuses an unknown client, with the nearest name', async () => {
    const environment = testEnvironment()
    furnish(environment)
    await expect(run({ client: 'vs-code', yes: true }, environment)).rejects.toMatchObject({
      code: 'USAGE',
      detail: '"vs-code" is not a client that Sluice knows; did you mean "vscode"?',
    })
    expect(existsSync(environment.configDir)).toBe(false)
  })

  it('refuses a broken file untouched, and goes on with the others', async () => {
    const environment = testEnvironment()
    furnish(environment)
    const file = clientFile('cursor', environment)
    writeFileSync(file, '{ "mcpServers": { "a": "s3cr3t }')
    const error = await run({ client: 'cursor', yes: true }, environment).catch((thrown: SluiceError) => thrown)
    expect(error).toMatchObject({ code: 'CONFIG_SYNTAX', detail: expect.stringMatching(/mcp\.json:1:\d+: /) })
    const { code, clients } = await report({ yes: true }, environment)
    expect(code).toBe(1)
    expect(clients.find(({ client }) => client === 'cursor')).toMatchObject({ state: 'broken', change: 'refused' })
    expect(clients.filter(({ change }) => change === 'written')).toHaveLength(7)
    expect(readFileSync(file, 'utf8')).toBe('{ "mcpServers": { "a": "s3cr3t }')
    const undone = await report({ undo: true }, environment)
    expect([undone.code, undone.clients.length]).toEqual([0, 7])
  })

  it('leaves the servers where they are with --keep', async () => {
    const environment = testEnvironment()
    furnish(environment)
    await run({ client: 'gemini', yes: true, keep: true }, environment)
    const { mcpServers } = JSON.parse(readFileSync(clientFile('gemini', environment), 'utf8')) as { mcpServers: object }
    expect(Object.keys(mcpServers)).toEqual(['weather', 'sluice'])
    expect(loadConfig({ environment }).servers.map(({ name }) => name)).toEqual(['weather'])
  })

  it('tells of files of the folder that nobody trusts yet', async () => {
    const environment = testEnvironment()
    writeTo(environment.cwd, '.mcp.json', { mcpServers: { a: { command: 'a' } } })
    expect((await run({}, environment)).said).toMatch(/Note: .*\.mcp\.json would start commands and is new here/)
  })

  it('leaves what holds for one folder alone in the file of Claude Code, and says so', async () => {
    const environment = testEnvironment()
    const projects = { [environment.cwd]: { mcpServers: { here: { command: 'here' } } } }
    const file = writeTo(environment.home, '.claude.json', { mcpServers: { a: { command: 'a' } }, projects })
    const { notes, clients } = await report({ client: 'claude-code', yes: true }, environment)
    expect(clients[0]?.moved).toEqual(['a'])
    expect(notes).toEqual([
      expect.stringMatching(/^Claude Code has servers in .*\.claude\.json under projects\..*\.mcpServers as well/),
    ])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ projects })
  })

  it('fails without a trace where it cannot write its own file', async () => {
    const environment = testEnvironment()
    const files = furnish(environment)
    const before = contents(files)
    writeFileSync(environment.configDir, 'a file in the way')
    await expect(run({ client: 'cursor', yes: true }, environment)).rejects.toMatchObject({ code: 'FILE_WRITE' })
    expect(contents(files)).toEqual(before)
  })

  it('says 1 where there is nothing to write to', async () => {
    expect(await run({ yes: true }, testEnvironment())).toEqual({ code: 1, said: 'No file of a client was found.\n' })
  })

  it('takes no --yes or --keep with --undo', async () => {
    await expect(run({ undo: true, yes: true }, testEnvironment())).rejects.toMatchObject({ code: 'USAGE' })
  })

  it('writes to those that a person picks, and to none when the person gives up', async () => {
    const environment = testEnvironment()
    furnish(environment)
    const given = await run({}, environment, { choose: async () => undefined })
    expect(given.said).not.toContain('handed over')
    const { said } = await run({}, environment, { choose: async () => ['zed'] })
    expect(said).toContain('handed over 2 servers (own, older)')
    expect(said.match(/handed over/g)).toHaveLength(1)
  })
})

describe('the questions on a terminal', () => {
  async function answer(...keys: string[]) {
    const environment = testEnvironment()
    furnish(environment)
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input })
    let shown = ''
    const output = new Writable({
      write(chunk, _, done) {
        shown += String(chunk)
        done()
      },
    })
    let picked: readonly string[] | undefined
    await run({}, environment, {
      choose: async (found) => {
        const asked = chooseClients(found, { input, output })
        for (const key of keys) {
          await new Promise((resolve) => setImmediate(resolve))
          input.write(key)
        }
        picked = await asked
        return undefined
      },
    })
    expect(shown).not.toMatch(PLANTED)
    return { picked, shown }
  }

  it('offer every client with its servers, those that have some picked', async () => {
    const { picked, shown } = await answer(' ', '\r')
    expect(shown).toContain('Claude Desktop')
    expect(picked).toEqual(CLIENT_HOMES.map(({ client }) => client).filter((name) => name !== 'claude-desktop'))
  })

  it('change nothing after Ctrl-C', async () => {
    const { picked, shown } = await answer('\u0003')
    expect(picked).toBeUndefined()
    expect(shown).toContain('Nothing was changed.')
  })
})

it('is started by absolute paths, or by npx where its copy does not last', () => {
  const config = '/home/me/.config/sluice/sluice.json'
  const installed = ownLaunch({ node: '/usr/bin/node', cli: '/lib/node_modules/mcp-sluice/dist/src/cli.js', config })
  expect(installed).toEqual({
    command: '/usr/bin/node',
    args: ['/lib/node_modules/mcp-sluice/dist/src/cli.js', '--config', config],
  })
  const fetched = ownLaunch({
    node: '/usr/bin/node',
    cli: '/root/.npm/_npx/1a2b/node_modules/mcp-sluice/dist/src/cli.js',
    config,
  })
  expect(fetched).toEqual({ command: 'npx', args: ['-y', 'mcp-sluice', '--config', config] })
  expect([isSluice(installed), isSluice(fetched)]).toEqual([true, true])
})
