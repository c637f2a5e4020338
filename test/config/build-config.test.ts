// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of the configuration file
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SluiceError } from '../../src/base/errors.js'
import { ECHO, failure, load } from './given-config.js'

describe('the top level', () => {
  it.each(['mcpServers', 'servers'])('takes servers under %s', (key) => {
    expect(load({ [key]: ECHO.mcpServers, $schema: 'x', inputs: [] }).servers).toHaveLength(1)
  })

  it('takes servers under mcp.servers', () => {
    expect(load({ mcp: { servers: ECHO.mcpServers, inputs: [] } }).servers).toHaveLength(1)
  })

  it('joins several lists, the first of a name counts', () => {
    const config = load({ servers: { echo: { command: 'other' }, more: { command: 'more' } }, mcpServers: ECHO.mcpServers })
    expect(config.servers.map(({ name, wire }) => [name, wire.kind === 'stdio' && wire.command])).toEqual([
      ['echo', 'echo'],
      ['more', 'more'],
    ])
    expect(config.notes).toEqual([expect.stringContaining('servers.echo is passed over')])
  })

  it('reads a CtxSlim file', () => {
    const config = load({ ...ECHO, slim: { connectTimeout: 7000, maxTools: 10 } })
    expect(config.servers[0]?.connectTimeoutMs).toBe(7000)
    expect(config.settings.catalog.maxTools).toBe(10)
  })

  it('reports all faults together, each on its line with its place', () => {
    const error = failure(
      '{\n  "mcpServer": {},\n  "maxTools": 3,\n  "sluice": {\n    "maxTool": 3,\n    "naming": "nude",\n    "context": { "responses": { "tresholdBytes": 1, "enabled": "maybe" } }\n  }\n}',
    )
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' })
    const lines = error.detail.split('\n')
    expect(lines).toHaveLength(6)
    expect(lines).toContainEqual(
      expect.stringMatching(/:2:3: mcpServer: "mcpServer" is not an option; did you mean "mcpServers"\?$/),
    )
    expect(lines).toContainEqual(expect.stringMatching(/:3:3: maxTools: .* put it under "sluice"$/))
    expect(lines).toContainEqual(
      expect.stringMatching(/:5:5: sluice\.maxTool: "maxTool" is not an option; did you mean "maxTools"\?$/),
    )
    expect(lines).toContainEqual(expect.stringMatching(/:6:5: sluice\.naming: must be one of prefixed, bare, found "nude"$/))
    expect(lines).toContainEqual(
      expect.stringMatching(/sluice\.context\.responses\.tresholdBytes: .* did you mean "thresholdBytes"\?$/),
    )
    expect(lines).toContainEqual(
      expect.stringMatching(/sluice\.context\.responses\.enabled: must be true or false, found "maybe"$/),
    )
  })

  it('tells the full path of an option that stands elsewhere', () => {
    expect(failure({ ...ECHO, sluice: { searchTool: 'Find' } }).detail).toContain('did you mean "context.searchTool"?')
  })

  it.each([
    [{ ...ECHO, sluice: 5 }, 'sluice: must be an object, found 5'],
    [{ ...ECHO, sluice: { context: [] } }, 'sluice.context: must be an object, found a list'],
    [{ ...ECHO, sluice: {}, slim: {} }, 'slim: is another name of "sluice"'],
    [{ mcpServers: [] }, 'mcpServers: must be an object'],
    [{ ...ECHO, mcp: { server: {} } }, 'did you mean "servers"?'],
    [{ ...ECHO, constructor: {} }, 'constructor: "constructor" is not an option'],
    [{ ...ECHO, sluice: { sessionIdle: '0 s' } }, 'sluice.sessionIdle: must be a time'],
    [{ ...ECHO, sluice: { maxIndexBytes: -1 } }, 'sluice.maxIndexBytes: must be a size'],
    [{ ...ECHO, sluice: { startConcurrency: 1.5 } }, 'sluice.startConcurrency: must be a whole number'],
    [{ ...ECHO, sluice: { pins: ['a', 4] } }, 'sluice.pins[1]: must be a non-empty text, found 4'],
    [{ ...ECHO, sluice: { context: { searchTool: 'a b' } } }, 'sluice.context.searchTool: must be a name'],
    [{ ...ECHO, sluice: { context: { searchTool: 'IndexRead' } } }, 'which context.searchTool is called already'],
    [{ ...ECHO, sluice: { maxTools: '${NOT_SET}' } }, 'sluice.maxTools: the variable NOT_SET is not set'],
    [{ ...ECHO, sluice: { clients: { claude: { maxTool: 3 } } } }, 'did you mean "maxTools"?'],
  ])('refuses %j', (content, expected) => {
    const error = failure(content)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' })
    expect(error.detail).toContain(expected)
  })

  it('refuses __proto__ as any other unknown key', () => {
    expect(failure('{ "mcpServers": { "a": { "command": "a" } }, "__proto__": { "command": "b" } }').code).toBe(
      'CONFIG_INVALID',
    )
    expect(failure('{ "mcpServers": { "a": { "command": "a" } }, "sluice": { "__proto__": {} } }').code).toBe('CONFIG_INVALID')
  })
})

describe('the whole configuration', () => {
  it('disables a server with a fault and leaves the others alone', () => {
    const config = load({ mcpServers: { bad: { command: 'a', url: 'http://x' }, worse: 3, good: { command: 'echo' } } })
    expect(config.servers.map(({ name }) => name)).toEqual(['good'])
    expect(config.disabled).toEqual([
      { name: 'bad', reason: 'has both command and url; keep one of them' },
      { name: 'worse', reason: 'must be an object, found a number' },
    ])
  })

  it('says NO_SERVER_LEFT with every reason', () => {
    const error = failure({
      mcpServers: { bad: { url: 'ftp://x' }, off: { command: 'x', disabled: true }, typo: { comand: 'x' } },
    })
    expect(error).toMatchObject({ code: 'NO_SERVER_LEFT' })
    expect(error.detail).toContain('server "bad": url: "ftp://x" is no http(s) URL')
    expect(error.detail).toContain('server "off": switched off')
    expect(error.detail).toContain('server "typo": has neither command nor url')
    expect(error.detail).toContain('did you mean "command"?')
    expect(failure({}).detail).toContain('there is no entry under "mcpServers"')
  })

  it('keeps the given alias of the earlier server and disables the later', () => {
    const config = load({ mcpServers: { a: { command: 'x', alias: 'z' }, b: { command: 'x', alias: 'z' } } })
    expect(config.servers.map(({ alias }) => alias)).toEqual(['z'])
    expect(config.disabled[0]?.reason).toContain('alias: is taken by the server "a"')
  })

  it('is frozen at every depth', () => {
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen))
    expect(
      isFrozen(load({ mcpServers: { a: { command: 'x', args: ['y'], env: { A: 'b' }, responseThreshold: { t: 1 } } } })),
    ).toBe(true)
  })

  it('gives a configuration or a SluiceError for any JSON', () => {
    const key = fc.oneof(
      fc.constantFrom(
        'mcpServers',
        'servers',
        'mcp',
        'sluice',
        'slim',
        'context',
        'responses',
        'command',
        'args',
        'env',
        'url',
        'alias',
      ),
      fc.constantFrom('__proto__', 'constructor', 'toString', 'headers', 'type', 'responseThreshold', 'include', 'clients'),
      fc.string(),
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('${SET}', '${X}', 'http://a/?b=c', '${A:-${B}}', '${input:x}'),
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'medium' },
        text,
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('tree')),
        fc.dictionary(key, tie('tree')),
      ),
    }))
    const entry = fc.dictionary(key, tree)
    const file = fc.oneof(
      tree,
      fc.record({ mcpServers: fc.dictionary(key, fc.oneof(entry, tree)), sluice: fc.oneof(entry, tree) }, { requiredKeys: [] }),
    )
    fc.assert(
      fc.property(file, (value) => {
        try {
          const config = load(JSON.stringify(value), { variables: { SET: 'value' } })
          expect(config.servers.length).toBeGreaterThan(0)
          expect(new Set(config.servers.map(({ alias }) => alias)).size).toBe(config.servers.length)
        } catch (error) {
          expect(error).toBeInstanceOf(SluiceError)
        }
      }),
      { numRuns: 300 },
    )
  })
})
