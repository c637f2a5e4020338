import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repairTool } from '../../src/catalog/repair-tool.js'
import { realTools } from '../support/real-schemas.js'
import { toolSchema } from '../support/schema-arbitrary.js'
import { damaged, seeded } from '../support/schema-values.js'
import { createCompile } from '../support/schema-verdicts.js'

const GOOD = { type: 'object', properties: { a: { type: 'string' } } }
const real = realTools()

function repairedInput(inputSchema: unknown) {
  const { tool, repairs } = repairTool({ name: 't', inputSchema })
  return { schema: tool['inputSchema'], why: repairs.map((repair) => `${repair.what}: ${repair.why}`) }
}

function nested(levels: number): object {
  let schema: object = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } }
  return schema
}

describe('a tool', () => {
  it('that is sound stays the same object', () => {
    const tool = {
      name: 't',
      title: 'T',
      description: 'd',
      inputSchema: GOOD,
      outputSchema: GOOD,
      annotations: { readOnlyHint: true },
    }
    expect(repairTool(tool)).toEqual({ tool, repairs: [] })
    expect(repairTool(tool).tool).toBe(tool)
  })

  it.skipIf(real.length === 0)('of a real catalog is touched only where it truly has a fault', () => {
    const whats = real.flatMap((tool) => repairTool(tool).repairs.map(({ what }) => what))
    expect(whats.filter((what) => what.startsWith('inputSchema') && !what.endsWith('type set to "object"')).toSorted()).toEqual(
      ['inputSchema: enum left out', 'inputSchema: exclusiveMinimum left out'],
    )
    expect(whats.filter((what) => !/^(?:inputSchema|annotations)/.test(what))).toEqual([])
  })

  it('loses patterns that are no regular expressions, and keeps those that only the old syntax has', () => {
    const { schema, why } = repairedInput({
      type: 'object',
      properties: { a: { type: 'string', pattern: '([' }, b: { type: 'string', pattern: '^[a\\-z]$' } },
      patternProperties: { '[': {}, '^x': { type: 'string' } },
    })
    expect(schema).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string', pattern: '^[a\\-z]$' } },
      patternProperties: { '^x': { type: 'string' } },
    })
    expect(why).toHaveLength(2)
  })

  it.each([undefined, null, true, 'x', []])('with %j for an inputSchema takes any object', (inputSchema) => {
    const { schema, why } = repairedInput(inputSchema)
    expect(schema).toEqual({ type: 'object' })
    expect(why).toHaveLength(1)
  })

  it('without an inputSchema gets an open one', () => {
    expect(repairTool({ name: 't' })).toEqual({
      tool: { name: 't', inputSchema: { type: 'object' } },
      repairs: [{ what: 'inputSchema replaced by one that accepts any object', why: 'it is missing' }],
    })
  })

  it('takes objects at the root of its inputSchema, whatever it said', () => {
    expect(JSON.stringify(repairedInput({ properties: {} }).schema)).toBe('{"type":"object","properties":{}}')
    expect(repairedInput({ type: ['object', 'null'], required: ['a'] }).schema).toEqual({ type: 'object', required: ['a'] })
    expect(repairedInput({ type: 'string', minLength: 1 })).toEqual({
      schema: { type: 'object' },
      why: ['inputSchema replaced by one that accepts any object: its type is "string", not "object"'],
    })
  })

  it('loses a $ref of its inputSchema that leads nowhere, and nothing else', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/Missing', description: 'kept' },
        b: { $ref: '#/$defs/a~1b' },
        $ref: { type: 'string' },
      },
      $defs: { 'a/b': { items: { $ref: 'https://example.com/elsewhere' } } },
      default: { $ref: '#/nowhere' },
    }
    const { schema, why } = repairedInput(inputSchema)
    expect(schema).toEqual({
      ...inputSchema,
      properties: { ...inputSchema.properties, a: { description: 'kept' } },
      $defs: { 'a/b': { items: {} } },
    })
    expect(why).toEqual([
      'inputSchema: $ref left out: $ref "#/$defs/Missing" of /properties/a leads nowhere',
      'inputSchema: $ref left out: $ref "https://example.com/elsewhere" of /$defs/a/b/items leads nowhere',
    ])
  })

  it('keeps references by anchors, identifiers, percent-encoded pointers and to the dialects', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        a: { $ref: '#spot' },
        b: { $ref: 'inner.json#/properties/x' },
        c: { $ref: '#/$defs/100%25' },
        d: { $ref: '#' },
        e: { $ref: 'http://json-schema.org/draft-07/schema#' },
        f: { $dynamicRef: '#dyn' },
        g: { $ref: '#old' },
      },
      $defs: {
        '100%': { $anchor: 'spot' },
        i: { $id: 'https://example.com/inner.json', properties: { x: {} } },
        d: { $dynamicAnchor: 'dyn' },
        o: { $id: '#old' },
      },
    }
    expect(repairedInput(inputSchema)).toEqual({ schema: inputSchema, why: [] })
  })

  it('loses keywords of its inputSchema that no dialect has so, at any depth', () => {
    const { schema, why } = repairedInput({
      type: 'object',
      required: ['a', 1, 'a'],
      properties: {
        a: { type: 'str', required: true, minimum: '1' },
        b: null,
        c: true,
        d: false,
        e: { properties: [] },
        enum: { enum: [] },
      },
    })
    expect(schema).toEqual({
      type: 'object',
      required: ['a'],
      properties: { a: {}, b: {}, c: {}, d: { not: {} }, e: {}, enum: {} },
    })
    expect(why).toContain('inputSchema: type left out: type of /properties/a is not a JSON type')
    expect(why).toContain('inputSchema: required replaced by ["a"]: required of the root is not an array of names')
    expect(repairedInput({ type: 'object', properties: [], required: 'a' }).schema).toEqual({ type: 'object' })
  })

  it.each([
    [null, 'it is null, not an object'],
    [{ properties: {} }, 'its type is missing, not "object"'],
    [{ type: 'array', items: {} }, 'its type is "array", not "object"'],
    [
      { type: 'object', properties: { a: { $ref: '#/$defs/Missing' } } },
      '$ref "#/$defs/Missing" of /properties/a leads nowhere',
    ],
    [{ type: 'object', properties: { a: { pattern: '(?i)a' } } }, 'pattern "(?i)a" is no regular expression'],
    [nested(600), 'it is nested more than 512 levels deep'],
  ])('loses an outputSchema that clients cannot compile', (outputSchema, why) => {
    const { tool, repairs } = repairTool({ name: 't', inputSchema: GOOD, outputSchema })
    expect(tool).toEqual({ name: 't', inputSchema: GOOD })
    expect(repairs).toEqual([{ what: 'outputSchema left out', why }])
  })

  it('keeps a pattern of its inputSchema in the dialect of its server', () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string', pattern: '(?i)^a' } } }
    expect(repairTool({ name: 't', inputSchema }).repairs).toEqual([])
  })

  it('loses members of the wrong type', () => {
    const { tool, repairs } = repairTool({
      name: 't',
      title: 1,
      description: null,
      icons: {},
      _meta: [],
      inputSchema: GOOD,
      annotations: { title: null, readOnlyHint: 'yes', openWorldHint: false, more: 1 },
    })
    expect(tool).toEqual({ name: 't', inputSchema: GOOD, annotations: { openWorldHint: false, more: 1 } })
    expect(repairs.map(({ what }) => what)).toEqual([
      'title left out',
      'description left out',
      'icons left out',
      '_meta left out',
      'annotations: title, readOnlyHint left out',
    ])
    expect(repairTool({ name: 't', inputSchema: GOOD, annotations: 'none' }).tool).toEqual({ name: 't', inputSchema: GOOD })
  })

  it('is open where its inputSchema is nested without end', () => {
    expect(repairedInput(nested(10_000)).schema).toEqual({ type: 'object' })
    expect(repairedInput(nested(100)).why).toEqual([])
  })

  it('compiles after repair whatever was done to its inputSchema, and is not touched again', () => {
    const compile = createCompile()
    const broken = fc.tuple(toolSchema, fc.integer(), fc.nat(4)).map(([schema, seed, times]) => {
      const random = seeded(seed)
      const { $schema: _, ...rest } = schema
      return Array.from({ length: times }).reduce<unknown>((value) => damaged(value, random), rest)
    })
    let repaired = 0
    fc.assert(
      fc.property(broken, (schema) => {
        // Two of the same identifier are a fault that is not looked for.
        fc.pre(!/"\$(?:id|anchor)":"(?!https:\/\/example.com\/s")/.test(JSON.stringify(schema) ?? ''))
        const { tool, repairs } = repairTool({ name: 't', inputSchema: schema })
        if (repairs.length > 0) repaired++
        const input = tool['inputSchema'] as object
        expect(compile(input, 'draft-07') ?? compile(input, '2020-12')).toBeDefined()
        expect(repairTool(tool).tool).toBe(tool)
        // Ajv does not look at a reference where nothing is validated, and the rest is asked for by the protocol.
        const byAjv = repairs.filter(({ why }) => !/leads nowhere|want an object|^its type is|^it is/.test(why))
        if (byAjv.length > 0)
          expect(compile(schema as object, 'draft-07') && compile(schema as object, '2020-12')).toBeUndefined()
      }),
      { numRuns: 300 },
    )
    expect(repaired).toBeGreaterThan(100)
  })
})
