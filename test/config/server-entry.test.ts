// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of the configuration file
import { describe, expect, it } from 'vitest'
import type { Wire } from '../../src/config/config.js'
import { parseServerEntry } from '../../src/config/server-entry.js'

const VARIABLES: Record<string, string> = { TOKEN: 'hunter2hunter2', EMPTY: '', BREAK: 'a\nb' }

function parse(entry: unknown) {
  return parseServerEntry('srv', entry, { lookup: (name) => VARIABLES[name], connectTimeoutMs: 15_000 })
}

function wire(entry: unknown): Wire | undefined {
  const { server, faults } = parse(entry)
  expect(faults).toEqual([])
  return server?.wire
}

describe('a usable entry', () => {
  it('starts a program', () => {
    expect(wire({ command: 'npx', args: ['-y', 'x'], env: { A: 'b' }, cwd: '/tmp', type: 'stdio' })).toEqual({
      kind: 'stdio',
      command: 'npx',
      args: ['-y', 'x'],
      env: { A: 'b' },
      cwd: '/tmp',
      inheritEnv: false,
    })
  })

  it.each([
    [{ url: 'https://x/mcp' }, 'auto'],
    [{ serverUrl: 'https://x/mcp' }, 'auto'],
    [{ httpUrl: 'https://x/mcp' }, 'http'],
    [{ url: 'https://x/mcp', type: 'http' }, 'http'],
    [{ url: 'https://x/mcp', type: 'streamable-http' }, 'http'],
    [{ url: 'https://x/mcp', type: 'streamableHttp' }, 'http'],
    [{ url: 'https://x/mcp', type: 'sse' }, 'sse'],
  ])('reaches %j as %s', (entry, kind) => {
    expect(wire(entry)).toEqual({ kind, url: 'https://x/mcp', headers: {} })
  })

  it('has these defaults', () => {
    expect(parse({ command: 'x' }).server).toEqual({
      name: 'srv',
      alias: undefined,
      description: undefined,
      wire: { kind: 'stdio', command: 'x', args: [], env: {}, cwd: undefined, inheritEnv: false },
      include: [],
      exclude: [],
      responseThreshold: [],
      diet: undefined,
      instances: 'session',
      connectTimeoutMs: 15_000,
      callTimeoutMs: undefined,
      idleTimeoutMs: undefined,
    })
  })

  it('takes every key', () => {
    const entry = {
      command: 'x',
      alias: 'my_x',
      description: 'what',
      include: ['a*'],
      exclude: 'b*',
      responseThreshold: { 'read_*': '8 KiB', '*': 5 },
      instances: 'shared',
      inheritEnv: true,
      connectTimeout: 1,
      callTimeout: '2 s',
      idleTimeout: '5 min',
      disabled: false,
    }
    expect(parse(entry)).toMatchObject({
      notes: [],
      server: {
        alias: 'my_x',
        description: 'what',
        include: ['a*'],
        exclude: ['b*'],
        responseThreshold: [
          { glob: 'read_*', bytes: 8192 },
          { glob: '*', bytes: 5 },
        ],
        instances: 'shared',
        connectTimeoutMs: 1,
        callTimeoutMs: 2000,
        idleTimeoutMs: 300_000,
      },
    })
    expect(parse({ command: 'x', responseThreshold: 99 }).server?.responseThreshold).toEqual([{ glob: '*', bytes: 99 }])
  })

  it('has what a login needs, with its secret kept', () => {
    const url = 'https://x/mcp'
    const oauth = { clientId: 'us', clientSecret: '${TOKEN}', scopes: 'read  write' }
    const { server, secrets } = parse({ url, oauth })
    const read = { clientId: 'us', clientSecret: 'hunter2hunter2', scopes: ['read', 'write'] }
    expect(server?.wire).toEqual({ kind: 'auto', url, headers: {}, oauth: read })
    expect(secrets).toContain('hunter2hunter2')
    expect(parse({ url, oauth: { clientId: 'us', clientSecret: 'plain-secret' } }).secrets).toContain('plain-secret')
    expect(wire({ url, oauth: { scopes: ['read'] } })).toMatchObject({ oauth: { clientId: undefined, scopes: ['read'] } })
    expect(parse({ url, oauth: { clientSecret: 'plain-secret' } }).faults).toEqual([
      'oauth.clientSecret: is of no use without a clientId',
    ])
    expect(parse({ url, oauth: true })).toMatchObject({ faults: [], notes: ['server "srv": passed over: oauth'] })
    expect(parse({ url, oauth: { clientId: 'us', callbackPort: 1 } })).toMatchObject({
      faults: [],
      notes: ['server "srv": oauth.callbackPort: "callbackPort" is not an option'],
    })
    expect(parse({ command: 'x', oauth: { clientId: 'us' } }).notes).toEqual([
      'server "srv": "oauth" has no effect with a command',
    ])
  })

  it('expands variables in every string', () => {
    const entry = {
      command: '${C:-node}',
      args: ['--t=${env:TOKEN}'],
      env: { T: '${TOKEN}', E: '${EMPTY}' },
      cwd: '${D:-/tmp}',
    }
    expect(wire(entry)).toMatchObject({
      command: 'node',
      args: ['--t=hunter2hunter2'],
      env: { T: 'hunter2hunter2', E: '' },
      cwd: '/tmp',
    })
  })

  it('takes numbers and booleans in env as text, with a note', () => {
    const { server, notes } = parse({ command: 'x', env: { PORT: 80, DEBUG: true } })
    expect(server?.wire).toMatchObject({ env: { PORT: '80', DEBUG: 'true' } })
    expect(notes).toEqual(['server "srv": env: taken as text: PORT, DEBUG'])
  })

  it('passes over keys of other clients with one note', () => {
    const entry = {
      command: 'x',
      autoApprove: [],
      alwaysAllow: [],
      envFile: '.env',
      timeout: 60,
      disabledTools: [],
      somethingElse: 1,
    }
    expect(parse(entry).notes).toEqual([
      'server "srv": passed over: autoApprove, alwaysAllow, envFile, timeout, disabledTools, somethingElse',
    ])
  })

  it('notes a misspelt key with the nearest one', () => {
    expect(parse({ command: 'x', exlude: ['a'] }).notes).toEqual([
      'server "srv": "exlude" is not an option; did you mean "exclude"?',
    ])
  })

  it('notes what has no effect', () => {
    const { notes } = parse({ command: 'x', headers: { A: 'b' } })
    expect(notes).toEqual(['server "srv": "headers" has no effect with a command'])
  })

  it.each([
    [{ output: { maxChars: 5 } }, { minify: false, maxChars: 5, images: undefined }],
    [{ output: { minify: true } }, { minify: true, maxChars: undefined, images: undefined }],
    [
      { images: { scale: 0.5 } },
      { minify: false, maxChars: undefined, images: { scale: 0.5, format: undefined, quality: undefined } },
    ],
    [{ output: { minify: false }, images: {} }, undefined],
  ])('puts results on a diet only where %j asks for it', (keys, diet) => {
    expect(parse({ command: 'x', ...keys }).server?.diet).toEqual(diet)
  })

  it.each([
    [{ output: { maxChars: 0 } }, 'output.maxChars: must be'],
    [{ images: { scale: 2 } }, 'images.scale: must be'],
    [{ images: { format: 'bmp' } }, 'images.format: must be'],
  ])('refuses %j', (keys, fault) => {
    expect(parse({ command: 'x', ...keys }).faults.join()).toContain(fault)
  })

  it.each([{ disabled: true }, { enabled: false }])('is left out, without a fault, by %j', (key) => {
    expect(parse({ ...key, url: 'ftp://x' })).toEqual({
      server: undefined,
      faults: [],
      notes: ['server "srv": switched off'],
      secrets: [],
    })
  })
})

describe('a fault', () => {
  it.each([
    [5, 'must be an object, found a number'],
    [{}, 'has neither command nor url; give one of them'],
    [{ command: 'x', url: 'http://x' }, 'has both command and url; keep one of them'],
    [{ command: '' }, 'command: must be a non-empty text, found ""'],
    [{ command: ['npx'] }, 'command: must be a non-empty text, found a list'],
    [{ command: 'a\0b' }, 'command: must be a non-empty text, found "a\\u0000b"'],
    [{ url: 'ftp://x' }, 'url: "ftp://x" is no http(s) URL; it must begin with http:// or https://'],
    [{ url: 'nonsense?key=abcdef' }, 'url: is no URL; it must begin with http:// or https://'],
    [{ url: 'ws://user:pass@x' }, 'url: "ws://***@x" is no http(s) URL'],
    [{ url: 'http://' }, 'url: cannot be read as a URL; check its host and port'],
    [{ command: 'x', args: '-y' }, 'args: must be a list, found a text'],
    [{ command: 'x', args: ['-y', 3] }, 'args[1]: must be a text without NUL characters, found a number'],
    [{ command: 'x', env: ['A=b'] }, 'env: must be an object, found a list'],
    [{ command: 'x', env: { A: ['secret'] } }, 'env.A: must be a text without NUL characters, found a list'],
    [{ command: 'x', env: { A: null } }, 'env.A: must be a text without NUL characters, found null'],
    [{ command: 'x', env: { 'A=B': 'c' } }, 'env."A=B": is no name of a variable'],
    [{ url: 'http://x', headers: { 'a b': 'c' } }, 'headers."a b": is no name of a header'],
    [{ url: 'http://x', headers: { A: '${BREAK}' } }, 'headers.A: has a line break'],
    [{ command: 'x', type: 'http' }, 'type: is "http", but the entry has a command'],
    [{ url: 'http://x', type: 'stdio' }, 'type: is "stdio", but the entry has a url'],
    [
      { url: 'http://x', type: 'websocket' },
      'type: must be one of stdio, http, sse, streamable-http, streamableHttp, found "websocket"',
    ],
    [{ command: 'x', alias: 'a b' }, 'alias: must be a name of 1 to 32 characters of A-Z a-z 0-9 _ -, found "a b"'],
    [{ command: 'x', instances: 'many' }, 'instances: must be one of session, shared, found "many"'],
    [{ command: 'x', responseThreshold: { a: 'big' } }, 'responseThreshold: must be a size'],
    [{ command: 'x', callTimeout: 0 }, 'callTimeout: must be a time'],
    [{ command: 'x', connectTimeout: 2 ** 31 }, 'connectTimeout: must be a time'],
    [{ command: 'x', env: { K: '${NOPE}' } }, 'env.K: the variable NOPE is not set; set it, or write ${NOPE:-default}'],
    [{ command: 'x', args: ['${input:key}'] }, 'args[0]: asks an editor for an input'],
    [{ command: 'x', args: ['${command:key}'] }, 'args[0]: ${command:…} is not supported'],
    [{ command: 'x', args: ['${A:-${B}}'] }, 'args[0]: has one reference inside another'],
  ])('disables %j', (entry, reason) => {
    const { server, faults } = parse(entry)
    expect(server).toBeUndefined()
    expect(faults.join('; ')).toContain(reason)
  })

  it('stands beside all others of the entry', () => {
    const { faults } = parse({ command: 4, args: ['${NOPE}'], callTimeout: 'x', alias: '' })
    expect(faults).toHaveLength(4)
  })

  it('keeps its notes, since they may say why', () => {
    expect(parse({ comand: 'x' }).notes.join()).toContain('did you mean "command"?')
  })
})
