/** A faulty configuration is one clear message on stderr and exit 2; a faulty entry disables its server alone. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLI, callText, fixture, isolatedEnv, openStdioGateway } from '../support/gateway.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: string[]) =>
  spawnSync(process.execPath, [CLI, ...args], {
    cwd: folder,
    env: isolatedEnv(folder),
    encoding: 'utf8',
    input: '',
    timeout: 30_000,
  })

const refused = (content: string) => {
  const path = join(folder, 'config.json')
  writeFileSync(path, content)
  const { status, stderr, stdout } = run('--config', path)
  expect(stdout).toBe('')
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(status).toBe(2)
  return stderr
}

describe('a configuration', () => {
  it('that is missing', () => {
    const { status, stderr } = run('--config', join(folder, 'nowhere.json'))
    expect(status).toBe(2)
    expect(stderr).toContain('nowhere.json')
  })

  it('with a syntax error, by line and column', () => {
    expect(refused('{\n  "mcpServers": {\n    "a": { "command" "x" }\n  }\n}')).toMatch(/config\.json:3:22/)
  })

  it('with an unknown key, and the nearest known one', () => {
    const good = JSON.stringify(fixture('content-server.js'))
    expect(refused(`{"mcpServers":{"a":${good}},"sluice":{"maxTool":3}}`)).toMatch(/maxTool.*did you mean "maxTools"/)
    expect(refused(`{"mcpServer":{"a":${good}}}`)).toMatch(/mcpServer.*did you mean "mcpServers"/)
  })

  it('with no usable server, and why each is not', () => {
    const stderr = refused(
      JSON.stringify({
        mcpServers: { a: { command: 'x', url: 'http://127.0.0.1:1/' }, b: { url: ['$', '{NOT_SET_ANYWHERE}'].join('') } },
      }),
    )
    expect(stderr).toContain('"a"')
    expect(stderr).toContain('NOT_SET_ANYWHERE')
  })

  it('that nobody wrote', () => {
    const { status, stderr } = run()
    expect(status).toBe(2)
    expect(stderr).toContain('--config')
  })

  it('of a folder, only after sluice trust', () => {
    writeFileSync(join(folder, 'sluice.json'), JSON.stringify({ mcpServers: { content: fixture('content-server.js') } }))
    const untrusted = run()
    expect(untrusted.status).toBe(2)
    expect(untrusted.stderr).toContain('sluice trust')
    expect(run('trust').status).toBe(0)
    expect(run().status).toBe(0)
    writeFileSync(
      join(folder, 'sluice.json'),
      JSON.stringify({ mcpServers: { content: fixture('content-server.js', 'changed') } }),
    )
    expect(run().stderr).toContain('sluice trust')
  })

  it('with a misspelt flag, and the nearest one', () => {
    const { status, stderr } = run('--confg', 'x')
    expect(status).toBe(2)
    expect(stderr).toContain('--config')
  })

  it('with one faulty entry serves the others', async () => {
    const gateway = await openStdioGateway({
      good: fixture('content-server.js'),
      bad: { command: 'x', args: 'not a list' as never },
    })
    const { tools } = await gateway.client.listTools()
    expect(tools.some((tool) => tool.name === 'good__echo')).toBe(true)
    expect(tools.some((tool) => tool.name.startsWith('bad__'))).toBe(false)
    expect(await callText(gateway.client, 'bad__any')).toMatch(/bad.*args/)
    await gateway.close()
  })
})
