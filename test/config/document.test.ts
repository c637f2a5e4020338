import { describe, expect, it } from 'vitest'
import type { SluiceError } from '../../src/base/errors.js'
import { parseDocument } from '../../src/config/document.js'
import { thrownBy } from '../support/environment.js'

function parse(content: string | Uint8Array) {
  return parseDocument('given.json', Buffer.from(content))
}

function failure(content: string | Uint8Array): SluiceError {
  return thrownBy<SluiceError>(() => parse(content))
}

describe('the text of a file', () => {
  it('takes comments, trailing commas and a BOM', () => {
    expect(
      parse('\uFEFF// mine\n{ "mcpServers": { "echo": { "command": "echo", "args": ["a",], /* b */ }, }, }').value,
    ).toEqual({ mcpServers: { echo: { command: 'echo', args: ['a'] } } })
  })

  it('takes UTF-16 with a BOM', () => {
    expect(parse(Buffer.from('\uFEFF{ "a": "é" }', 'utf16le')).value).toEqual({ a: 'é' })
  })

  it.each([
    ['{\n  "mcpServers": {\n    "a" 1\n  }\n}', ':3:9: a colon was expected'],
    ['{ "mcpServers": {} ', ':1:19: a closing } was expected'],
    ['{ "a": 1 "b": 2 }', ':1:10: a comma'],
    ['{\r\n "a": ,\r\n}', ':2:7: a value was expected'],
    ['{ a: 1 }', ':1:3: a value, a name in double quotes'],
    ['{ "a": "x\n" }', ':1:8: a closing "'],
    ['', ':1:1: the file is empty'],
    [' \n\t', ':1:1: the file is empty'],
    ['/* only a comment */', ': a value was expected'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'UTF-8'],
    ['['.repeat(200_000), 'nested too deeply'],
    [`${'['.repeat(500)}${']'.repeat(500)}`, 'nested too deeply'],
  ])('tells where and what was expected: %#', (content, expected) => {
    const error = failure(content)
    expect(error).toMatchObject({ code: 'CONFIG_SYNTAX' })
    expect(error.detail).toContain(`given.json`)
    expect(error.detail).toContain(expected)
  })

  it.each([
    ['[]', 'a list'],
    ['null', 'null'],
    ['"text"', 'a text'],
    ['5', 'a number'],
  ])('refuses a file that is %s', (content, found) => {
    const error = failure(content)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' })
    expect(error.detail).toContain(`found ${found}`)
  })

  it('notes duplicate keys and takes the last', () => {
    const document = parse('{ "mcpServers": { "a": { "command": "one" }, "a": { "command": "two" } } }')
    expect(document.value).toEqual({ mcpServers: { a: { command: 'two' } } })
    expect(document.notes).toEqual([expect.stringContaining('mcpServers.a is there more than once')])
  })
})
