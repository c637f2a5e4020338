import { describe, expect, it } from 'vitest'
import { createLogger } from '../../src/base/logger.js'

function logged(json: boolean, fields: Record<string, string | number | undefined>): string {
  const lines: string[] = []
  const logger = createLogger({
    level: 'warn',
    json,
    redact: (text) => text.replaceAll('s3cret', '***'),
    write: (line) => lines.push(line),
  })
  logger.info('quiet')
  logger.warn('upstream_down', fields)
  expect(lines).toHaveLength(1)
  return lines[0] ?? ''
}

describe('a log line', () => {
  it('is short text for people', () => {
    const line = logged(false, { server: 'git-hub', error: 'it exited with "1"', retryInMs: 5, left: undefined })
    expect(line).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z warn upstream_down server=git-hub error="it exited with \\"1\\"" retryInMs=5\n$/,
    )
  })

  it('stays one line, whatever is in it', () => {
    const line = logged(false, { error: 'a\nb\r\u2028\u001b[31m\u0085 level=error', empty: '' })
    expect(line).toMatch(/error="a\\nb\\r\\u\{2028\}\\u001b\[31m\\u\{85\} level=error" empty=""\n$/)
  })

  it('is an object with --log-json', () => {
    expect(JSON.parse(logged(true, { server: 'a b' }))).toMatchObject({ level: 'warn', event: 'upstream_down', server: 'a b' })
  })

  it.each([false, true])('shows no secret (json: %s)', (json) => {
    const line = logged(json, { error: 'token s3cret refused' })
    expect(line).toContain('***')
    expect(line).not.toContain('s3cret')
  })
})
