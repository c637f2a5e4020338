// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of the configuration file
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildConfig } from '../../src/config/build-config.js'
import { documentOf } from '../../src/config/document.js'
import { environmentOf } from '../../src/config/environment.js'
import { createRedactor, secretsOf } from '../../src/config/secrets.js'

/** No asterisk: what hides a secret may not be part of one. */
const secret = fc.string({ unit: 'binary', minLength: 4, maxLength: 30 }).filter((text) => !text.includes('*'))

describe('createRedactor', () => {
  it('takes out every planted secret, raw, percent-encoded and as JSON', () => {
    const writings = [
      (text: string) => text,
      (text: string) => encodeURIComponent(text.toWellFormed()),
      (text: string) => JSON.stringify(text).slice(1, -1),
      (text: string) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
      (text: string) => new URLSearchParams({ q: text }).toString().slice(2),
    ]
    const planted = fc.array(fc.tuple(secret, fc.constantFrom(...writings), fc.string({ unit: 'binary' })), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(planted, (parts) => {
        const text = parts.map(([value, write, filler]) => filler + write(value)).join('')
        const shown = createRedactor(parts.map(([value]) => value))(text)
        for (const [value, write] of parts) expect(shown).not.toContain(write(value))
      }),
    )
  })

  it('takes out the longest of secrets that begin alike, and all of those that overlap', () => {
    expect(createRedactor(['abcd', 'abcdefgh'])('<abcdefgh>')).toBe('<***>')
    expect(createRedactor(['abcdef', 'defghi'])('<abcdefghi>')).toBe('<***>')
    expect(createRedactor(['abab'])('<ababab>')).toBe('<***>')
  })

  it('leaves values of less than four characters, and the words that log lines are made of', () => {
    const line = '{"level":"info","ok":true,"n":1,"mode":"dev"}'
    expect(createRedactor(['1', 'dev', 'true', 'info'])(line)).toBe(line)
  })

  it('takes out each line of a key file', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQ\n-----END KEY-----'
    expect(createRedactor([key])('line: kqhkiG9w0BAQ')).toBe('line: ***')
  })

  it('takes out what Python escapes', () => {
    expect(createRedactor(['pässwörd'])('"p\\u00e4ssw\\u00f6rd"')).toBe('"***"')
  })
})

describe('secretsOf', () => {
  it.each([
    [{ env: { A: 'env-value', B: 'other' } }, ['env-value', 'other']],
    [{ headers: { Authorization: 'Bearer abc def' } }, ['Bearer abc def', 'abc def']],
    [{ url: 'https://user:p%40ss@host/?key=a%2Bb&x=y#z' }, ['user', 'p%40ss', 'p@ss', 'a%2Bb', 'a+b', 'y']],
    [{ serverUrl: 'https://h/s/Zm9vYmFyMTIzNDU2Nzg5MA/mcp' }, ['Zm9vYmFyMTIzNDU2Nzg5MA']],
    [{ url: 'no url://u:p@h?token=t0k' }, ['t0k', 'u:p', 'u', 'p']],
    [{ args: ['--token', 'one', '--api-key=two', '-y', 'pkg', 'PASSWORD=three'] }, ['one', 'two', 'three']],
    [{ args: ['--header', 'Authorization: Bearer four'] }, ['Bearer four', 'four']],
    [{ args: ['sk-0123456789abcdef', 'https://h/?key=five'] }, ['sk-0123456789abcdef', 'five']],
  ])('finds those of %j', (entry, expected) => {
    expect(secretsOf(entry)).toEqual(expect.arrayContaining(expected))
  })

  it('leaves ordinary arguments', () => {
    expect(
      secretsOf({ args: ['-y', '@scope/server-filesystem@1.2.3', '/home/me/project', '--port', '80', '--author=me'] }),
    ).not.toContain('80')
    expect(secretsOf({ args: ['-y', '@scope/server-filesystem@1.2.3', '/home/me/project', '--port', '80'] })).toEqual([])
  })

  it('takes any value', () => {
    fc.assert(fc.property(fc.anything(), (value) => void secretsOf(value)))
    fc.assert(
      fc.property(
        fc.record({ env: fc.anything(), headers: fc.anything(), url: fc.anything(), args: fc.anything() }),
        (entry) => void secretsOf(entry),
      ),
    )
  })
})

describe("a configuration's redact", () => {
  it('hides what variables put in, and those of servers with a fault', () => {
    const variables = { TOKEN: 'from-the-environment', HOME: '/home/me' }
    const mcpServers = {
      good: { command: 'x', args: ['${TOKEN}', '${HOME}/work'], env: { A: 'plain-value' } },
      bad: { command: 'x', env: { B: 'bad-value' }, args: 5 },
    }
    const environment = environmentOf({ variables, cwd: '/', home: '/home/me', platform: 'linux' })
    const { redact, disabled } = buildConfig(documentOf('test', { mcpServers }), { environment })
    expect(disabled).toHaveLength(1)
    expect(redact('from-the-environment plain-value bad-value /home/me')).toBe('*** *** *** /home/me')
  })
})
