import { describe, expect, it } from 'vitest'
import { docOf, headOf, prepare } from '../support/prepared.js'

describe('the documents of a catalog', () => {
  it('show a tool with its schema, then its complete definition', () => {
    const inputSchema = {
      type: 'object',
      properties: { path: { type: 'string', description: 'Where it is' } },
      required: ['path'],
    }
    const tool = { name: 'read_file', title: 'Read a file', description: 'Reads.\r\nAll of it.', inputSchema }
    const doc = docOf(prepare({ tools: [tool] }), 'mcp/srv/tool/read_file')
    expect(headOf(doc).slice(0, 3)).toEqual(['srv__read_file - Read a file', 'Reads.', 'All of it.'])
    expect(headOf(doc)[3]).toMatch(/^Parameters: \{.*"path".*\}$/)
    expect(headOf(doc)).toHaveLength(4)
    const definition = doc.text.slice(doc.text.indexOf('\nDefinition:\n') + 13)
    expect(definition).toBe(JSON.stringify(tool, null, 2))
    expect(doc.fields).toEqual({
      name: 'read_file',
      title: 'Read a file',
      description: 'Reads.\nAll of it.',
      parameters: 'path\nWhere it is',
      server: 'srv',
    })
  })

  it('cut a long description in the head, and have it in full below', () => {
    const description = Array.from({ length: 100 }, (_, i) => `Line ${i} of the description.`).join('\n')
    const doc = docOf(prepare({ tools: [{ name: 'a', description }] }), 'mcp/srv/tool/a')
    const head = headOf(doc).join('\n')
    expect(head).toMatch(/Line \d+ of the description\. …\nParameters:/)
    expect(head.length).toBeLessThan(1_100)
    expect(doc.text.slice(head.length)).toContain(`Full description:\n${description}\n`)
  })

  it('outline a large schema, every parameter of the tool in it, within 6 KB', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 120 }, (_, i) => [
        `parameter_${i}`,
        { type: 'object', properties: { inner: { type: 'string', description: 'A long description. '.repeat(9) } } },
      ]),
    )
    const tool = { name: 'a', description: 'x'.repeat(3_000), inputSchema: { type: 'object', properties } }
    const [first, ...rest] = headOf(docOf(prepare({ tools: [{ ...tool, title: 'Very '.repeat(5_000) }] }), 'mcp/srv/tool/a'))
    const head = [first, ...rest].join('\n')
    expect(first?.length).toBeLessThan(300)
    expect(Buffer.byteLength(head)).toBeLessThan(6_000)
    for (const name of Object.keys(properties)) expect(head).toMatch(new RegExp(`\\b${name}\\b`))
  })

  it('describe prompts with their arguments, and resources with their URI', () => {
    const prepared = prepare({
      prompts: [
        { name: 'p', arguments: [{ name: 'city', description: 'The name of it.', required: true }, { name: 'x' }, 7] },
        { name: 'q' },
      ],
      resources: [{ uri: 'a://b', name: 'Some file', mimeType: 'text/plain', description: 'Text' }],
    })
    expect(headOf(docOf(prepared, 'mcp/srv/prompt/p'))).toEqual([
      'srv__p',
      'Arguments:',
      '  city: string (required) - The name of it.',
      '  x: string',
    ])
    expect(headOf(docOf(prepared, 'mcp/srv/prompt/q'))).toEqual(['srv__q', 'No arguments'])
    const resource = docOf(prepared, 'mcp/srv/resource/Some file')
    expect(headOf(resource)).toEqual(['Some file', 'URI: a://b', 'MIME type: text/plain', 'Text'])
    expect(resource.exposed).toBe('a://b')
  })

  it('tell of a server its instructions and what it has', () => {
    const instructions = '# Notes\n\nUse it well. Always.\n\n## Setup\n```\n# no heading\n```\n### Limits ###\n'
    const prepared = prepare({
      instructions,
      tools: [{ name: 'a', description: 'Does a. Or b.' }],
      resources: [{ uri: 'x://y', name: 'Y' }],
      serverInfo: { title: 'The Server' },
    })
    const doc = docOf(prepared, 'mcp/srv')
    expect(doc.text).toBe(
      `srv - The Server\n\n${instructions.trim()}\n\nTools (1):\n- srv__a: Does a.\n\nResources (1):\n- x://y (Y)`,
    )
    expect(doc).toMatchObject({ kind: 'server', exposed: 'srv', fields: { name: 'srv', title: 'The Server' } })
    expect(prepared.summary).toBe('Use it well.')
    expect(prepared.headings).toEqual(['Notes', 'Setup', 'Limits'])
  })
})
