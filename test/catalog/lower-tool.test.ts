import { describe, expect, it } from 'vitest'
import { dialectOf } from '../../src/catalog/client-dialect.js'
import { lowerTool } from '../../src/catalog/lower-tool.js'
import { loweringSummary } from '../../src/catalog/lowering-summary.js'
import type { SchemaDialect } from '../../src/protocol/catalog-api.js'

const lowered = (inputSchema: object, dialect: SchemaDialect, description?: string) =>
  lowerTool({ name: 't', ...(description !== undefined && { description }), inputSchema }, dialect, 0)
const schemaOf = (inputSchema: object, dialect: SchemaDialect) => lowered(inputSchema, dialect).tool['inputSchema']
const propertyFor = (property: object, dialect: SchemaDialect) =>
  (schemaOf({ type: 'object', properties: { a: property } }, dialect) as { properties: { a: unknown } }).properties.a

const ALTERNATIVES = {
  type: 'object',
  properties: { limit: { type: 'integer' } },
  oneOf: [
    { properties: { url: { type: 'string' } }, required: ['url'], additionalProperties: false },
    {
      properties: { path: { type: 'string' }, name: { type: 'string' } },
      required: ['path', 'name'],
      additionalProperties: false,
    },
  ],
}
const TREE = {
  type: 'object',
  properties: { root: { $ref: '#/$defs/Node' } },
  $defs: {
    Node: {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
    },
  },
}

describe('a tool', () => {
  it.each(['claude', 'openai', 'gemini', 'common', 'none'] as const)('that %s takes stays the same object', (dialect) => {
    const tool = { name: 't', inputSchema: { type: 'object', properties: { a: { type: 'string', enum: ['x'] } } } }
    expect(lowerTool(tool, dialect, 80)).toEqual({ tool, lowered: [] })
    expect(lowerTool(tool, dialect, 80).tool).toBe(tool)
  })

  it('stays as it is where no dialect is asked for', () => {
    expect(schemaOf(ALTERNATIVES, 'none')).toBe(ALTERNATIVES)
  })

  it.each(['claude', 'openai', 'common', 'gemini'] as const)(
    'with alternatives at the root is one object for %s, and says what it needs',
    (dialect) => {
      const { tool, lowered: changes } = lowered(ALTERNATIVES, dialect, 'Fetches.')
      expect(tool['inputSchema']).toEqual({
        type: 'object',
        properties: { limit: { type: 'integer' }, url: { type: 'string' }, path: { type: 'string' }, name: { type: 'string' } },
        ...(dialect !== 'gemini' && { additionalProperties: false }),
      })
      expect(tool['description']).toContain('Fetches.')
      expect(tool['description']).toContain('Needs url, or path and name.')
      expect(changes.map(({ what }) => what)).toContain('alternatives at the root made one set of properties')
    },
  )

  it('shows what a property is in one alternative, and takes anything where another leaves it open', () => {
    const open = {
      type: 'object',
      anyOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'number' } } }],
    }
    expect(schemaOf(open, 'claude')).toEqual({
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, {}] }, b: { anyOf: [{}, { type: 'number' }] } },
    })
  })

  it('gets no longer description than its budget for what its schema does not say', () => {
    const description = 'Fetches a page from somewhere on the web and turns it into text.'
    const { tool } = lowerTool({ name: 't', description, inputSchema: ALTERNATIVES }, 'claude', 60)
    expect(String(tool['description']).length).toBeLessThanOrEqual(60)
    expect(tool['description']).toContain('Needs url, or path and name.')
    expect(lowerTool({ name: 't', inputSchema: ALTERNATIVES }, 'claude', 60).tool['description']).toBe(
      'Needs url, or path and name.',
    )
  })

  it('is told of in words where a name of its arguments is refused', () => {
    const odata = {
      type: 'object',
      properties: { $filter: { type: 'string' }, top: { type: 'integer' } },
      required: ['$filter', 'top'],
      additionalProperties: false,
    }
    const { tool, lowered: changes } = lowered(odata, 'claude', 'Lists users.')
    expect(tool).toEqual({
      name: 't',
      description: 'Lists users.\n\nAlso takes "$filter" (string).',
      inputSchema: { type: 'object', properties: { top: { type: 'integer' } }, required: ['top'] },
    })
    expect(changes).toHaveLength(1)
    expect(schemaOf(odata, 'openai')).toBe(odata)
  })

  it('keeps references where the API follows them', () => {
    expect(schemaOf(TREE, 'claude')).toBe(TREE)
    expect(schemaOf(TREE, 'openai')).not.toHaveProperty('anyOf')
    expect(schemaOf(TREE, 'openai')).toHaveProperty('$defs')
  })

  it('says which places OpenAI wants to be complete', () => {
    expect(schemaOf({ type: 'object' }, 'openai')).toEqual({ type: 'object', properties: {} })
    expect(propertyFor({ type: 'array' }, 'openai')).toEqual({ type: 'array', items: {} })
    expect(propertyFor({ type: 'string', pattern: '^\\p{L}+$' }, 'openai')).toEqual({ type: 'string' })
    expect(propertyFor({ type: 'string', pattern: '^[a-z]+$' }, 'openai')).toEqual({ type: 'string', pattern: '^[a-z]+$' })
  })
})

describe('for Gemini', () => {
  it.each([
    ['a constant', { const: 'x', description: 'd' }, { type: 'string', enum: ['x'], description: 'd' }],
    ['a number among few', { type: 'integer', enum: [1, 2] }, { type: 'integer', description: 'one of 1, 2' }],
    ['an empty text among few', { enum: ['', 'a'] }, { type: 'string', description: 'one of "", "a"' }],
    ['null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    ['null among few', { enum: ['a', null] }, { type: 'string', enum: ['a'], nullable: true }],
    ['several types', { type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    ['a bound of integers', { type: 'integer', exclusiveMinimum: 0 }, { type: 'integer', minimum: 1 }],
    ['a bound', { type: 'number', exclusiveMaximum: 1 }, { type: 'number', maximum: 1, description: 'below 1' }],
    ['a step', { type: 'number', multipleOf: 5, description: 'n' }, { type: 'number', description: 'n (a multiple of 5)' }],
    ['a format', { type: 'string', format: 'uri' }, { type: 'string', description: 'uri' }],
    ['a time', { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', description: 'any keys, each with a value of type string' },
    ],
    ['a closed object', { type: 'object', additionalProperties: false }, { type: 'object' }],
    [
      'all of two',
      { allOf: [{ type: 'object', properties: { x: { type: 'string' } } }, { required: ['x'] }] },
      { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
    ],
    [
      'one of two with a description',
      { description: 'd', oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      {
        anyOf: [
          { type: 'string', description: 'd' },
          { type: 'array', items: { type: 'string' } },
        ],
      },
    ],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false },
      { type: 'array', items: { type: 'number' } },
    ],
  ])('%s is written in its words', (_, given, wanted) => {
    expect(propertyFor(given, 'gemini')).toEqual(wanted)
  })

  it('references are inlined, and recursion ends in an open object', () => {
    expect(schemaOf(TREE, 'gemini')).toEqual({
      type: 'object',
      properties: {
        root: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { type: 'object' } } },
        },
      },
    })
    expect(lowered(TREE, 'gemini').lowered.map(({ what }) => what)).toEqual([
      '$ref inlined',
      'recursion cut with an open schema',
    ])
  })

  it('a schema that would grow without end by its references stays small', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `d${at}`,
        {
          type: 'object',
          properties: Object.fromEntries('abcd'.split('').map((key) => [key, { $ref: `#/$defs/d${at + 1}` }])),
        },
      ]),
    )
    const schema = schemaOf({ type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs }, 'gemini')
    expect(JSON.stringify(schema).length).toBeLessThan(200_000)
  })
})

it.each([
  ['claude-code', 'claude'],
  ['claude-ai', 'claude'],
  ['codex-mcp-client', 'openai'],
  ['openai-mcp', 'openai'],
  ['gemini-cli-mcp-client', 'gemini'],
  ['Visual Studio Code', 'common'],
  ['', 'common'],
])('a client called %j is served %s', (client, dialect) => {
  expect(dialectOf(client)).toBe(dialect)
})

it('what was lowered is summed up by kind, the most frequent first', () => {
  const why = 'w'
  const all = [
    { tool: 'a', what: 'x left out (2 places)', why },
    { tool: 'a', what: 'y left out', why },
    { tool: 'b', what: 'y left out (3 places)', why },
  ]
  expect(loweringSummary(all)).toEqual([
    { what: 'y left out', why, tools: 2, such: ['a', 'b'] },
    { what: 'x left out', why, tools: 1, such: ['a'] },
  ])
})
