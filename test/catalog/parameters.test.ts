import { describe, expect, it } from 'vitest'
import { parameterOutline, parameterWords } from '../../src/catalog/parameters.js'

const schema = {
  properties: {
    owner: { type: 'string', description: 'Who owns it. In full.' },
    mode: { enum: ['a', 'b', null, 4, 5, 6, 7, 8, 9, 10] },
    kind: { const: 'x' },
    when: { type: ['string', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    node: { $ref: '#/$defs/tree~1node' },
    either: { anyOf: [{ type: 'integer' }, { properties: { deep: { type: 'boolean' } } }] },
    any: true,
    map: { type: 'object', additionalProperties: { properties: { value: { type: 'number' } } } },
  },
  required: ['owner'],
  $defs: {
    'tree/node': {
      type: 'object',
      description: 'A node',
      required: ['id'],
      properties: { id: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree~1node' } } },
    },
  },
}

describe('parameterOutline', () => {
  it('has a line for each parameter at every depth, references resolved, recursion stopped', () => {
    expect(parameterOutline(schema, 10_000)).toEqual([
      '  owner: string (required) - Who owns it.',
      '  mode: "a" | "b" | null | 4 | 5 | 6 | 7 | 8 | … 2 more',
      '  kind: "x"',
      '  when: string | null',
      '  tags: string[]',
      '  node: object - A node',
      '    id: string (required)',
      '    children: object[]',
      '  either: integer | object',
      '    deep: boolean',
      '  any: any',
      '  map: object',
      '    value: number',
    ])
  })

  it('loses descriptions, then depth, but no parameter of the tool itself', () => {
    const lines = parameterOutline(schema, 260)
    expect(lines).toHaveLength(9)
    expect(lines[0]).toMatch(/^ {2}owner: string \(required\)/)
    expect(parameterOutline(schema, 0)).toHaveLength(9)
  })

  it('has the types of a thousand parameters, and says where those of very many are', () => {
    const many = (count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: 'integer' }])),
    })
    expect(parameterOutline(many(800), 3_000).at(-1)).toBe('  p799: integer')
    expect(parameterOutline(many(5000), 3_000).join('\n')).toMatch(/names only.*\n {2}p0, p1, .*p4999$/)
  })

  it.each([undefined, null, 7, 'x', [], {}, true, { properties: 7 }, { $ref: '#' }, { $ref: '#/%' }, { anyOf: {} }])(
    'is empty for %j',
    (odd) => {
      expect(parameterOutline(odd, 1_000)).toEqual([])
      expect(parameterWords(odd)).toBe('')
    },
  )
})

describe('parameterWords', () => {
  it('has names and descriptions, and no keyword of schemas', () => {
    expect(parameterWords(schema).split('\n')).toEqual([
      ...['owner', 'Who owns it. In full.', 'mode', 'kind', 'when', 'tags', 'node', 'A node', 'either', 'any', 'map'],
      ...['id', 'children', 'deep', 'value'],
    ])
  })
})
