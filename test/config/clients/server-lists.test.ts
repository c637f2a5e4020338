import fc from 'fast-check'
import { type ParseError, parse as parseJson } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { LIST_FORMATS } from '../../../src/config/clients/edit-client-file.js'
import type { ServerListFormat } from '../../../src/config/clients/server-list.js'

const { json: jsonList, toml: tomlList } = LIST_FORMATS
const OURS = { name: 'sluice', value: { command: 'sluice', args: ['--config', 'a b'] } }

function readJson(text: string): Record<string, unknown> {
  if (text === '') return {}
  const errors: ParseError[] = []
  const value = parseJson(text, errors, { allowTrailingComma: true })
  expect(errors).toEqual([])
  return value
}

/** Without the tables' null prototypes. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

const JSON_TEXT = `// my editor
{
    "theme": "dark", // at night
    /* servers */
    "mcpServers": {
        // gh
        "github": { "command": "npx", "args": ["gh"] }, // mine
        "docs": {
            "url": "https://x/mcp" // inner
        },
        // "old": {},
        "last": { "command": "last" } // end
    },
    "after": 1.0,
}
`

describe('servers in JSON', () => {
  it('are replaced by one in the place of the first, with all comments around them kept', () => {
    const text = jsonList.edit(JSON_TEXT, ['mcpServers'], { remove: ['github', 'docs', 'last'], add: [OURS] })
    expect(text).toBe(`// my editor
{
    "theme": "dark", // at night
    /* servers */
    "mcpServers": {
        // gh
        "sluice": {
            "command": "sluice",
            "args": [
                "--config",
                "a b"
            ]
        } // mine
        // "old": {},
         // end
    },
    "after": 1.0,
}
`)
  })

  it('are added behind the last, below its comment', () => {
    const text = jsonList.edit(JSON_TEXT, ['mcpServers'], { remove: [], add: [{ name: 'x', value: {}, text: '{}' }] })
    expect(text).toBe(JSON_TEXT.replace('"last" } // end', '"last" }, // end\n        "x": {}'))
  })

  it('are taken out one by one', () => {
    const edit = (...remove: string[]) =>
      Object.keys(readJson(jsonList.edit(JSON_TEXT, ['mcpServers'], { remove, add: [] }))['mcpServers'] as object)
    expect(edit('github')).toEqual(['docs', 'last'])
    expect(edit('last')).toEqual(['github', 'docs'])
    expect(edit('docs', 'last')).toEqual(['github'])
    expect(edit('github', 'docs', 'last', 'none')).toEqual([])
  })

  it.each([
    ['', '{\n  "servers": {\n    "a": 1\n  }\n}\n'],
    ['{}', '{\n  "servers": {\n    "a": 1\n  }\n}'],
    ['{\n\t"x": 1\n}\n', '{\n\t"x": 1,\n\t"servers": {\n\t\t"a": 1\n\t}\n}\n'],
    ['{\r\n  "servers": {}\r\n}', '{\r\n  "servers": {\r\n    "a": 1\r\n  }\r\n}'],
    ['{"servers":{"b":2}}', '{"servers":{"b":2, "a": 1}}'],
    ['{"servers":{}}', '{"servers":{ "a": 1 }}'],
    ['{\n  "servers": {\n    // none yet\n  }\n}', '{\n  "servers": {\n    // none yet\n    "a": 1\n  }\n}'],
    ['{\n  "servers": {\n    "b": 2,\n  },\n}', '{\n  "servers": {\n    "b": 2,\n    "a": 1,\n  },\n}'],
  ])('are added to %j', (before, after) => {
    expect(jsonList.edit(before, ['servers'], { remove: [], add: [{ name: 'a', value: {}, text: '1' }] })).toBe(after)
  })

  it('keep the file as it is where there is nothing to do', () => {
    for (const text of [JSON_TEXT, '', '{}']) expect(jsonList.edit(text, ['mcpServers'], { remove: ['x'], add: [] })).toBe(text)
  })
})

const TOML_TEXT = `# my codex
model = "gpt-5"   # keep

[mcp_servers.github]  # gh
command = "npx"
args = [
  "-y", # ]
  '''[x]
# no comment''',
]
# a token
env = { GITHUB_TOKEN = "abc" }

[mcp_servers."my docs"]
url = "https://x.y/mcp"

[mcp_servers."my docs".http_headers]
A = """
[mcp_servers.fake]
"""

# profiles below
[profiles.fast]
model   =   "x"
when = 1979-05-27T07:32:00Z
`

describe('servers in TOML', () => {
  it('are replaced by one in the place of the first, with all comments around them kept', () => {
    const text = tomlList.edit(TOML_TEXT, ['mcp_servers'], { remove: ['github', 'my docs'], add: [OURS] })
    expect(text).toBe(`# my codex
model = "gpt-5"   # keep

[mcp_servers.sluice]
command = "sluice"
args = [ "--config", "a b" ]
# a token

# profiles below
[profiles.fast]
model   =   "x"
when = 1979-05-27T07:32:00Z
`)
  })

  it.each([
    ['', '[s.a]\nx = 1\n'],
    ['k = 1', 'k = 1\n\n[s.a]\nx = 1\n'],
    ['k = 1\r\n', 'k = 1\r\n\r\n[s.a]\r\nx = 1\r\n'],
    ['s = { b = { y = "]" } } # all\nk = 1\n', 'k = 1\n\n[s.b]\ny = "]"\n\n[s.a]\nx = 1\n'],
    ['s.b.y = 1\n[t]\nz = 2\n', 's.b.y = 1\n[t]\nz = 2\n\n[s.a]\nx = 1\n'],
  ])('are added to %j', (before, after) => {
    const text = tomlList.edit(before, ['s'], { remove: [], add: [{ name: 'a', value: { x: 1 } }] })
    expect(text).toBe(after)
    expect(plain(parseToml(text))).toMatchObject({ s: { a: { x: 1 } } })
  })

  it('go where no header can follow, at the end', () => {
    const text = tomlList.edit('[s]\nb.x = 1\nc.x = 2\n[t]\ny = 1\n', ['s'], {
      remove: ['b'],
      add: [{ name: 'a', value: { x: 1 } }],
    })
    expect(plain(parseToml(text))).toEqual({ s: { c: { x: 2 }, a: { x: 1 } }, t: { y: 1 } })
  })

  it('are cut out as they stand', () => {
    expect(tomlList.textOf(TOML_TEXT, ['mcp_servers'], 'my docs')).toContain('[mcp_servers.fake]\n"""\n')
    expect(tomlList.textOf('s.b.y = 1\n', ['s'], 'b')).toBeUndefined()
  })

  it('keep the file as it is where there is nothing to do', () => {
    for (const text of [TOML_TEXT, '']) expect(tomlList.edit(text, ['mcp_servers'], { remove: ['x'], add: [] })).toBe(text)
  })
})

describe('an edit in either format', () => {
  const formats: [string, ServerListFormat, (text: string) => Record<string, unknown>][] = [
    ['JSON', jsonList, readJson],
    ['TOML', tomlList, (text) => plain(parseToml(text)) as Record<string, unknown>],
  ]
  const name = fc.oneof(
    fc.constantFrom('a', 'b"c', 'd.e', '[f]', '#g', 'é\\', 'constructor'),
    fc.string({ minLength: 1, maxLength: 4, unit: 'grapheme-ascii' }),
  )
  const value = fc.record({
    command: fc.string(),
    args: fc.array(fc.string({ maxLength: 6 }), { maxLength: 3 }),
    env: fc.dictionary(name, fc.string()),
  })

  it.each(formats)('gives the servers that were asked for, in %s', (_, format, read) => {
    fc.assert(
      fc.property(
        fc.dictionary(name, value, { noNullPrototype: true }),
        fc.infiniteStream(fc.boolean()),
        fc.dictionary(name, value, { noNullPrototype: true }),
        (before, coin, after) => {
          const add = (servers: Record<string, object>) =>
            Object.entries(servers).map(([key, entry]) => ({ name: key, value: entry as Record<string, unknown> }))
          const first = format.edit('', ['list'], { remove: [], add: add(before) })
          const remove = Object.keys(before).filter(() => coin.next().value)
          const stay = Object.entries(before).filter(([key]) => !remove.includes(key))
          const more = Object.entries(after).filter(([key]) => !stay.some(([other]) => other === key))
          const second = format.edit(first, ['list'], { remove, add: add(Object.fromEntries(more)) })
          expect(read(second)['list'] ?? {}).toEqual(plain(Object.fromEntries([...stay, ...more])))
          const moved = remove.map((key) => ({
            name: key,
            value: before[key] as Record<string, unknown>,
            text: format.textOf(first, ['list'], key),
          }))
          const back = format.edit(second, ['list'], { remove: more.map(([key]) => key), add: moved })
          expect(read(back)['list'] ?? {}).toEqual(plain(before))
        },
      ),
      { numRuns: 100 },
    )
  })
})
