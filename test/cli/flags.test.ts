import { describe, expect, it } from 'vitest'
import type { SluiceError } from '../../src/base/errors.js'
import { COMMANDS, FLAGS } from '../../src/cli/commands.js'
import { flagTargets, settingFlagNames, settingRows } from '../../src/cli/flag-names.js'
import { parseFlags } from '../../src/cli/flags.js'
import { renderHelp } from '../../src/cli/help.js'
import { thrownBy } from '../support/environment.js'

function settings(...argv: string[]) {
  return Object.fromEntries(parseFlags(argv).settings)
}

function failure(...argv: string[]): string {
  const error = thrownBy<SluiceError>(() => parseFlags(argv))
  expect(error).toMatchObject({ code: 'USAGE' })
  return error.detail
}

describe('commands', () => {
  it('is the gateway over stdio without a word', () => {
    expect(parseFlags([])).toEqual({ command: undefined, args: [], flags: {}, settings: new Map() })
  })

  it('may take words behind it', () => {
    expect(parseFlags(['call', 'a__b', '{}', '--json'])).toMatchObject({ command: 'call', args: ['a__b', '{}'] })
    expect(renderHelp('call')).toContain('Usage: sluice call <tool> [arguments] [options]')
  })

  it.each(['serve', 'demo', 'start', 'trust', 'docs'])('knows %s', (command) => {
    expect(parseFlags([command]).command).toBe(command)
  })

  it('tells the nearest command, or all', () => {
    expect(failure('serv')).toBe('"serv" is not a command; did you mean "serve"?')
    expect(failure('qwertyuiop')).toContain(`there are ${COMMANDS.flatMap(({ name }) => name ?? []).join(', ')}`)
    expect(failure('serve', 'me')).toContain('"me" is one word too many')
    expect(failure('call', 'a', 'b', 'c')).toBe('"c" is one word too many; "sluice call" takes <tool> <arguments>')
    expect(failure('call')).toBe('"sluice call" needs <tool>')
    expect(failure('constructor')).toContain('is not a command')
  })
})

describe('words after a command', () => {
  it('are as many as it takes', () => {
    expect(parseFlags(['login', 'github', '--no-browser'])).toMatchObject({ args: ['github'], flags: { 'no-browser': true } })
    expect(parseFlags(['token', 'list']).args).toEqual(['list'])
    expect(parseFlags(['token', 'add', 'laptop']).args).toEqual(['add', 'laptop'])
    expect(failure('login')).toBe('"sluice login" needs <server>')
    expect(failure('login', 'a', 'b')).toBe('"b" is one word too many; "sluice login" takes <server>')
    expect(renderHelp('token')).toContain('Usage: sluice token <add|list|revoke> [name] [options]')
  })
})

describe('flags', () => {
  it('have values and short names', () => {
    expect(parseFlags(['serve', '-c', 'a.json', '--port=0', '--host', '::1', '-q', '--log-level', 'debug']).flags).toEqual({
      config: 'a.json',
      port: 0,
      host: '::1',
      quiet: true,
      'log-level': 'debug',
    })
  })

  it.each([
    [['--confg', 'x'], '--confg is not an option; did you mean "--config"?'],
    [['--max-tool', '3'], 'did you mean "--max-tools"?'],
    [['--no-stat'], '--no-stat is not an option; did you mean "--no-stats"?'],
    [['--response-threshold-bytes', '3'], 'did you mean "--responses-threshold-bytes"?'],
    [['--maxTool', '3'], 'did you mean "--maxTools"?'],
    [['-x'], '-x is not an option'],
    [['--config'], '--config needs a value'],
    [['--config', '--quiet'], '--config needs a value'],
    [['serve', '--port', '99999'], '--port must be a whole number from 0 to 65535, found "99999"'],
    [['--log-level', 'loud'], '--log-level must be one of debug'],
    [['--quiet=maybe'], '--quiet must be true or false, found "maybe"'],
    [['--no-stats=1'], '--no-stats takes no value'],
    [['--no-naming'], '--no-naming is not an option'],
    [['--naming', 'nude'], '--naming must be one of prefixed, bare, found "nude"'],
    [['--port', '1'], '--port has no meaning for "sluice"; it belongs to "sluice serve"'],
    [['trust', '--max-tools', '3'], '--max-tools has no meaning for "sluice trust"'],
    [['--__proto__', '3'], '--__proto__ is not an option'],
  ])('refuses %j', (argv, message) => {
    expect(failure(...argv)).toContain(message)
  })

  it('end with help or version whatever else is there', () => {
    expect(parseFlags(['serve', '--help', '--nonsense'])).toMatchObject({ command: 'serve', flags: { help: true } })
    expect(parseFlags(['-v']).flags).toEqual({ version: true })
  })
})

describe('settings by flag', () => {
  it('are read as in the file', () => {
    expect(settings('--max-tools', '24', '--naming', 'bare', '--session-idle', '10 min', '--maxIndexBytes=1MiB')).toEqual({
      maxTools: 24,
      naming: 'bare',
      sessionIdle: 600_000,
      maxIndexBytes: 1_048_576,
    })
  })

  it.each([
    '--context.responses.threshold-bytes',
    '--context.responses.thresholdBytes',
    '--responses-threshold-bytes',
    '--context-responses-threshold-bytes',
  ])('are nested as %s', (name) => {
    expect(settings(name, '5')).toEqual({ 'context.responses.thresholdBytes': 5 })
  })

  it('turn booleans on and off', () => {
    expect(settings('--vector', '--no-stats', '--no-responses', '--no-context.catalog.enabled', '--adaptive=false')).toEqual({
      'context.vector.enabled': true,
      stats: false,
      'context.responses.enabled': false,
      'context.catalog.enabled': false,
      adaptive: false,
    })
  })

  it('join lists, and take the last of other settings', () => {
    expect(settings('--pins', 'a,b', '--pins', 'c', '--max-tools', '1', '--max-tools', '2')).toEqual({
      pins: ['a', 'b', 'c'],
      maxTools: 2,
    })
  })

  it('have names that are not shared by two', () => {
    const names = settingRows().flatMap(settingFlagNames)
    expect(new Set(names).size).toBe(names.length)
    expect(flagTargets().size).toBe(names.length + Object.keys(FLAGS).length)
  })
})

describe('renderHelp', () => {
  it('shows every command and setting of the gateway', () => {
    const help = renderHelp()
    for (const word of [
      'serve',
      'demo',
      'trust',
      '--config <path>',
      '--max-tools <number>',
      '--[no-]stats',
      '--vector',
      '[30 min]',
      '[256 MiB]',
    ]) {
      expect(help).toContain(word)
    }
    for (const [name] of settingRows().map(settingFlagNames)) expect(help).toContain(`${name}`)
  })

  it('shows the flags of one command', () => {
    expect(renderHelp('serve')).toContain('--port <number>')
    expect(renderHelp('trust')).not.toContain('--max-tools')
    expect(renderHelp('nonsense')).toBe(renderHelp())
  })
})
