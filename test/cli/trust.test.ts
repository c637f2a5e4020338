// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of the configuration file
import { expect, it } from 'vitest'
import { trust } from '../../src/cli/trust.js'
import type { Environment } from '../../src/config/environment.js'
import { loadConfig } from '../../src/config/load-config.js'
import { testEnvironment, thrownBy, writeTo } from '../support/environment.js'

function run(environment: Environment): { code: number; said: string } {
  let said = ''
  const code = trust(environment, (text) => {
    said += text
  })
  return { code, said }
}

it('shows what would start, without secrets, and remembers the file', () => {
  const environment = testEnvironment({ TOKEN: 'value-of-token' })
  writeTo(environment.cwd, 'sluice.json', {
    mcpServers: {
      files: {
        command: 'npx',
        args: ['-y', 'server files', '--token', 'literal-secret', '${TOKEN}'],
        env: { KEY: 'env-secret' },
        cwd: '/tmp',
      },
      web: { url: 'https://me:hidden@host/mcp?key=query-secret' },
      broken: { command: 'x', args: ['${NOT_SET}'] },
      off: { command: 'y', args: ['--api-key=off-secret'], disabled: true },
    },
  })
  expect(() => loadConfig({ environment })).toThrow()
  const { code, said } = run(environment)
  expect(code).toBe(0)
  expect(said).toContain('files: npx -y "server files" --token *** ${TOKEN} (in /tmp) (with KEY)')
  expect(said).toContain('web: https://me:***@host/mcp?key=***')
  expect(said).toContain('broken: x ${NOT_SET} (not now: args[0]: the variable NOT_SET is not set')
  expect(said).toContain('off: y --api-key=*** (switched off)')
  expect(said).not.toMatch(/secret|value-of-token|hidden/)
  expect(loadConfig({ environment }).servers).toHaveLength(2)
})

it('hides nothing of a command that equals an env value', () => {
  const environment = testEnvironment()
  writeTo(environment.cwd, 'sluice.json', { mcpServers: { a: { command: 'evil-program', env: { A: 'evil-program' } } } })
  expect(run(environment).said).toContain('a: evil-program')
})

it('makes control and direction characters visible', () => {
  const environment = testEnvironment()
  writeTo(environment.cwd, 'sluice.json', { mcpServers: { 'a\u001b[2K': { command: 'x\u202e\u001b[1A', args: ['\u009b'] } } })
  const { said } = run(environment)
  for (const sign of '\u001b\u009b\u202e') expect(said).not.toContain(sign)
  expect(said).toContain('a\\u{1b}[2K: "x\\u{202e}\\u001b[1A" "\\u{9b}"')
})

it('says 2 where there is nothing to trust', () => {
  expect(run(testEnvironment())).toMatchObject({ code: 2, said: expect.stringContaining('nothing to trust') })
})

it('does not trust a file with a fault', () => {
  const environment = testEnvironment()
  writeTo(environment.cwd, 'sluice.json', { mcpServers: { a: { command: 'x' } }, sluice: { nonsense: 1 } })
  expect(thrownBy(() => run(environment))).toMatchObject({ code: 'CONFIG_INVALID' })
  expect(thrownBy(() => loadConfig({ environment }))).toMatchObject({ code: 'CONFIG_UNTRUSTED' })
})

it('trusts the files of clients in the folder, and passes over one with a fault', () => {
  const environment = testEnvironment()
  writeTo(environment.cwd, '.mcp.json', { mcpServers: { a: { command: 'a', env: { KEY: 'env-secret' } } } })
  writeTo(environment.cwd, '.vscode/mcp.json', { servers: { b: { url: 'https://b/mcp?key=query-secret' } } })
  writeTo(environment.cwd, '.cursor/mcp.json', '{ "mcpServers": "env-secret')
  const { code, said } = run(environment)
  expect(code).toBe(1)
  expect(said).toContain('  a: a (with KEY)\n')
  expect(said).toContain('  b: https://b/mcp?key=***\n')
  expect(said).toMatch(/Passed over: .*mcp\.json:1:\d+/)
  expect(said).not.toContain('secret')
  expect(loadConfig({ environment }).servers.map(({ name }) => name)).toEqual(['a', 'b'])
})
