import { afterAll, describe, expect, it } from 'vitest'
import { createComputePool } from '../../src/actor/compute-pool.js'
import { hasRealCatalogs, prepareArgs, realCatalogs } from '../support/catalogs.js'
import { COMPRESSED, docOf, docsOf, headOf, PLAIN, prepare, prepareHere } from '../support/prepared.js'

/** One tool given as the text that its server sent. */
const prepareText = (json: string, options = PLAIN) =>
  prepareHere({
    server: { alias: 'srv', name: 'srv' },
    options,
    lists: { tools: [{ key: 'a', exposed: 'srv__a', json }], resources: [], resourceTemplates: [], prompts: [] },
  })
const listedText = (json: string, options = PLAIN) => prepareText(json, options).entries.tools[0]?.json

describe('the listed entry of a tool', () => {
  const exotic = '"inputSchema":{"type":"object","maximum":1.0,"x":12345678901234567890,"x":1E+2},"_meta":{"a":-0}'

  it('keeps its text to the byte but for the name', () => {
    expect(listedText(`{"title":"t",  "name":"a",${exotic}}`)).toBe(`{"title":"t",  "name":"srv__a",${exotic}}`)
  })

  it('leaves out outputSchema where that is wanted', () => {
    const options = { ...PLAIN, withoutOutputSchema: true }
    expect(listedText(`{"name":"a","outputSchema":{},${exotic}}`, options)).toBe(`{"name":"srv__a",${exotic}}`)
    expect(listedText(`{"name":"a",${exotic},"outputSchema":{}}`, options)).toBe(`{"name":"srv__a",${exotic}}`)
  })

  it.each(['{ "name":"a"}', '{\n"name": "a"\n}', '{"$schema":1,"name":"a"}', '{"_x":1,"name":"a"}', '{"":0,"name":"a"}'])(
    'starts with a key that keeps costs exact: %s',
    (json) => {
      const listed = listedText(json) ?? ''
      expect(listed).toMatch(/^\{"name":"srv__a"/)
      expect(JSON.parse(listed)).toEqual({ ...JSON.parse(json), name: 'srv__a' })
    },
  )

  it('has its name first and a shorter description when compressed, all else kept to the byte', () => {
    const long = 'Reads a file from the disk and gives it back. '.repeat(5)
    const listed = listedText(
      `{"description":${JSON.stringify(long)},"title":"A","icons":[1.0], "name":"a",${exotic}}`,
      COMPRESSED,
    )
    const { description } = JSON.parse(listed ?? '') as { description: string }
    expect(listed).toBe(`{"name":"srv__a","description":${JSON.stringify(description)},"icons":[1.0],${exotic}}`)
    expect(description.length).toBeLessThanOrEqual(80)
    expect(description).toMatch(/ \w+…$/)
    expect(long).toContain(description.slice(0, -1))
  })

  it('keeps the lexical edit, without white space, when compression changes nothing', () => {
    expect(listedText(`{"description": "x y",  "name":"a", ${exotic}}`, COMPRESSED)).toBe(
      `{"description":"x y","name":"srv__a",${exotic}}`,
    )
  })

  it('loses a title that repeats its name, there and in the annotations', () => {
    const inputSchema = { type: 'object' }
    const tool = {
      name: 'create_pullRequest',
      inputSchema,
      title: 'Create Pull Request',
      annotations: { title: 'create pull request' },
    }
    const other = { name: 'b', inputSchema, title: 'Delete all', annotations: { title: 'Delete', readOnlyHint: true } }
    const [first, second] = prepare({ tools: [tool, other] }, COMPRESSED).entries.tools
    expect(JSON.parse(first?.json ?? '')).toEqual({ name: 'srv__create_pullRequest', inputSchema })
    expect(JSON.parse(second?.json ?? '')).toEqual({ ...other, name: 'srv__b' })
  })

  it('is a stub of about 40 tokens that says where its schema is, with disclosure', () => {
    const tool = {
      name: 'create_issue',
      description: 'Creates an issue. '.repeat(50),
      inputSchema: { type: 'object', properties: {} },
    }
    const [entry] = prepare({ tools: [tool, { name: 'constructor' }] }, { ...PLAIN, disclosure: true, readTool: 'Look' })
      .entries.tools
    expect(JSON.parse(entry?.json ?? '')).toEqual({
      name: 'srv__create_issue',
      description: 'Creates an issue. Look("mcp/srv/tool/create_issue") has the schema',
      inputSchema: { type: 'object' },
    })
    expect(entry?.tokens).toBeLessThan(45)
  })
})

describe('other listed entries', () => {
  it('get exposed names and URIs, and shorter descriptions when compressed', () => {
    const description = 'word '.repeat(100)
    const args = prepareArgs('srv', { prompts: [{ name: 'p', description }] }, COMPRESSED)
    const resource = {
      key: 'file:///a',
      exposed: 'sluice://srv/a',
      json: JSON.stringify({ uri: 'file:///a', name: 'a', size: 1 }),
    }
    const template = { key: 'f://{x}', exposed: 'g://{x}', json: '{"name":"t","uriTemplate":"f://{x}"}' }
    const { entries } = prepareHere({
      ...args,
      lists: { ...args.lists, resources: [resource], resourceTemplates: [template] },
    })
    expect(entries.resources[0]?.json).toBe('{"uri":"sluice://srv/a","name":"a","size":1}')
    expect(entries.resourceTemplates[0]?.json).toBe('{"name":"t","uriTemplate":"g://{x}"}')
    const prompt = JSON.parse(entries.prompts[0]?.json ?? '') as { name: string; description: string }
    expect(prompt.name).toBe('srv__p')
    expect(prompt.description.length).toBeLessThanOrEqual(80)
    expect(entries.prompts[0]?.bytes).toBe(Buffer.byteLength(entries.prompts[0]?.json ?? ''))
  })
})

describe('prepareServer', () => {
  it('takes names and members that are special in JavaScript', () => {
    const json =
      '{"name":"a","__proto__":{"x":1},"constructor":2,"inputSchema":{"properties":{"__proto__":{"type":"string"},"toString":{}}}}'
    for (const options of [PLAIN, COMPRESSED]) {
      expect(listedText(json, options)).toContain('"__proto__":{"x":1},"constructor":2')
    }
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty']
    const prepared = prepare({ tools: names.map((name) => ({ name })) }, COMPRESSED)
    expect(prepared.entries.tools.map(({ label }) => label)).toEqual(names.map((name) => `mcp/srv/tool/${name}`))
    expect(headOf(docOf(prepareText(json), 'mcp/srv/tool/a')).join('\n')).toContain('"__proto__"')
  })

  it('takes members of any type', () => {
    const odd = [null, 7, 'x', [], {}, true]
    const tools = odd.map((value, i) => ({
      ...{ name: `t${i}`, title: value, description: value, inputSchema: value, outputSchema: value, annotations: value },
      icons: value,
    }))
    const prompts = odd.map((value, i) => ({ name: `p${i}`, description: value, arguments: value }))
    const resources = odd.map((value, i) => ({ uri: `r${i}`, name: value, description: value, mimeType: value }))
    for (const options of [PLAIN, COMPRESSED, { ...COMPRESSED, disclosure: true }]) {
      const prepared = prepare({ tools, prompts, resources, resourceTemplates: [{ uriTemplate: 'r0' }] }, options)
      const labels = docsOf(prepared).map(({ label }) => label)
      expect(new Set(labels).size).toBe(20)
    }
  })

  it('lists a tool with an open schema when its own is nested too deep, and says so', () => {
    const deep = `${'{"properties":{"a":'.repeat(20_000)}{}${'}}'.repeat(20_000)}`
    const items = [`{"name":"a","description":"Deep","inputSchema":${deep}}`]
    for (const json of items) {
      const prepared = prepareText(json, COMPRESSED)
      expect(JSON.parse(prepared.entries.tools[0]?.json ?? '')).toMatchObject({ name: 'srv__a', description: 'Deep' })
      expect(prepared.entries.tools[0]?.bytes).toBeLessThan(200)
      expect(prepared.repairs.map(({ tool }) => tool)).toEqual(['a'])
    }
  })

  it('survives schemas made to be endless', () => {
    const defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => {
        const next = { $ref: `#/$defs/d${i + 1}` }
        return [
          `d${i}`,
          { properties: { a: next, b: next }, anyOf: [next, next], items: [next, next], additionalProperties: next },
        ]
      }),
    )
    const inputSchema = {
      properties: { self: { $ref: '#' }, x: { $ref: '#/$defs/d0' }, y: { $ref: '#/$defs/y' } },
      $defs: { ...defs, y: { $ref: '#/$defs/y' } },
    }
    const head = headOf(docOf(prepare({ tools: [{ name: 'a', inputSchema }] }), 'mcp/srv/tool/a'))
    expect(head).toEqual(expect.arrayContaining(['  self: object', expect.stringMatching(/^ {2}x: /), '  y: any']))
  })
})

describe.skipIf(!hasRealCatalogs)('every real catalog (needs SLUICE_DATA)', () => {
  it('gives heads below 6 KB with all parameters, unique labels, and definitions that are complete', () => {
    const faults: string[] = []
    for (const [alias, catalog] of realCatalogs()) {
      const args = prepareArgs(alias, catalog, COMPRESSED)
      const prepared = prepareHere(args)
      const docs = docsOf(prepared)
      const byLabel = new Map(docs.map((doc) => [doc.label, doc]))
      expect(byLabel.size).toBe(docs.length)
      for (const [kind, entries] of Object.entries(prepared.entries)) {
        for (const [i, { label, exposed }] of entries.entries()) {
          const doc = byLabel.get(label)
          const source = args.lists[kind as 'tools'][i]?.json ?? ''
          const head = doc ? headOf(doc).join('\n') : ''
          const definition = JSON.stringify(JSON.parse(doc?.text.split('\nDefinition:\n').at(-1) ?? ''))
          const { inputSchema } = JSON.parse(source) as { inputSchema?: { properties?: object } }
          const names = Object.keys(inputSchema?.properties ?? {})
          if (definition !== source) faults.push(`${label}: definition`)
          if (doc?.exposed !== exposed) faults.push(`${label}: exposed`)
          if (Buffer.byteLength(head) >= 6_000) faults.push(`${label}: long head`)
          if (!names.every((name) => head.includes(name))) faults.push(`${label}: parameters`)
        }
      }
    }
    expect(faults).toEqual([])
  }, 60_000)
})

describe('prepareServer on the compute pool', () => {
  const pool = createComputePool()
  afterAll(() => pool.close())

  it('gives documents in shared memory, as they are in the same thread', async () => {
    const args = prepareArgs('srv', { tools: [{ name: 'a', description: '数据 🐎' }], instructions: 'Be kind.' }, COMPRESSED)
    const prepared = await pool.run('prepareServer', args)
    expect(prepared.docs.buffer).toBeInstanceOf(SharedArrayBuffer)
    expect(prepared.docs.byteLength).toBe(prepared.docs.buffer.byteLength)
    const here = prepareHere(args)
    expect(docsOf(prepared)).toEqual(docsOf(here))
    expect({ ...prepared, docs: 0 }).toEqual({ ...here, docs: 0 })
  })

  it('takes 2 MB of definitions', async () => {
    const tools = Array.from({ length: 400 }, (_, i) => ({ name: `tool_${i}`, description: `Word ${i} of many. `.repeat(300) }))
    const prepared = await pool.run('prepareServer', prepareArgs('srv', { tools }, COMPRESSED))
    expect(prepared.rawBytes).toBeGreaterThan(2_000_000)
    expect(docsOf(prepared)).toHaveLength(401)
  })
})
