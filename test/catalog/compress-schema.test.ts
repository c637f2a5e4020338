import { describe, expect, it } from 'vitest'
import { compressSchema } from '../../src/catalog/compress-schema.js'
import { cutDescription } from '../../src/catalog/cut-description.js'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

function small(schema: unknown, descriptionBudget = 0, toolName?: string): unknown {
  return compressSchema(schema, { descriptionBudget, ...(toolName && { toolName }) })
}

function deep(levels: number): object {
  let schema: object = { type: 'string', $comment: 'c' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } }
  return schema
}

describe('a compressed schema', () => {
  it('loses what repeats or constrains nothing, at every depth', () => {
    const schema = {
      $schema: DRAFT_07,
      $id: 'https://example.com/s',
      type: 'object',
      properties: {
        repo_name: { type: 'string', title: 'Repo Name', description: '', minLength: 0, examples: ['a'] },
        list: {
          type: 'array',
          items: { type: 'object', $comment: 'c', required: [], properties: {}, additionalProperties: true },
        },
        map: { type: 'object', additionalProperties: { $comment: 'any' }, propertyNames: { type: 'string' } },
        kept: { title: 'Another', format: 'uri', 'x-note': 1, anyOf: [{ title: 'One' }, {}] },
      },
      required: ['repo_name'],
      additionalProperties: false,
      $defs: { A: { $ref: '#/$defs/B' }, B: {} },
    }
    expect(JSON.stringify(small(schema))).toBe(
      JSON.stringify({
        type: 'object',
        properties: {
          repo_name: { type: 'string' },
          list: { type: 'array', items: { type: 'object' } },
          map: { type: 'object' },
          kept: { title: 'Another', format: 'uri', 'x-note': 1, anyOf: [{ title: 'One' }, {}] },
        },
        required: ['repo_name'],
        additionalProperties: false,
      }),
    )
  })

  it('keeps properties that are called like keywords', () => {
    const properties = JSON.parse(
      '{"title":{},"const":{},"examples":{},"$id":{},"$comment":{},"description":{},"$defs":{},"required":{},"$schema":{},"__proto__":{},"constructor":{}}',
    )
    const schema = { type: 'object', properties, required: ['title', '__proto__'] }
    expect(JSON.stringify(small(schema))).toBe(JSON.stringify(schema))
  })

  it('keeps data as they are', () => {
    const data = { title: 'a', description: '', $comment: 'c', examples: [], required: [], additionalProperties: {} }
    const schema = { properties: { a: { const: data, default: data, enum: [data], 'x-a': data } } }
    expect(small(schema)).toEqual(schema)
  })

  it('keeps the empty members that LLM APIs ask for', () => {
    const schema = { type: 'object', properties: {} }
    expect(small(schema)).toEqual(schema)
    expect(small({ type: 'array', items: {} })).toEqual({ type: 'array', items: {} })
  })

  it('keeps the definitions in use, however they are pointed to, and only those', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { $ref: '#/definitions/a~1b' },
        b: { $ref: '#/$defs/100%25' },
        c: { $ref: '#/$defs/Outer/$defs/Inner' },
      },
      definitions: {
        'a/b': { items: { $ref: '#/definitions/Next' } },
        Next: { $ref: '#/definitions/Next' },
        Dead: { $ref: '#/definitions/Next' },
      },
      $defs: { '100%': { type: 'string' }, Outer: { $defs: { Inner: { type: 'null' }, Dead: {} } } },
    }
    expect(small(schema)).toEqual({
      ...schema,
      definitions: { 'a/b': schema.definitions['a/b'], Next: schema.definitions.Next },
      $defs: { '100%': { type: 'string' }, Outer: { $defs: { Inner: { type: 'null' } } } },
    })
  })

  it('keeps an empty schema that a reference leads to', () => {
    const schema = { properties: { a: { $ref: '#/additionalProperties' } }, additionalProperties: {} }
    expect(small(schema)).toEqual(schema)
  })

  it('keeps the shape of a schema with references by identifier or anchor, and shortens its texts', () => {
    for (const ref of ['#spot', 'inner.json', 'https://example.com/elsewhere']) {
      const schema = {
        $id: 'https://example.com/s',
        properties: { a: { $ref: ref, description: 'many words here', $comment: 'c' } },
        $defs: { A: { $anchor: 'spot', required: [] }, B: { $id: 'inner.json', examples: [{}] } },
      }
      expect(small(schema, 12)).toEqual({ ...schema, properties: { a: { $ref: ref, description: 'many words…' } } })
    }
  })

  it.each(['#/examples/0', '#/properties', '#/nowhere', '#/%zz', 'other.json#/examples/0'])(
    'is left alone with a reference to %s',
    (ref) => {
      const schema = { title: '', examples: [{ title: '' }], properties: { a: { $ref: ref } } }
      expect(small(schema)).toBe(schema)
    },
  )

  it('names its dialect where that makes a difference, and only there', () => {
    for (const $schema of [DRAFT_07, DRAFT_2020]) {
      for (const rest of [
        { items: [{}] },
        { prefixItems: [{}] },
        { dependentSchemas: { a: {} } },
        { $ref: '#/$defs/A', minLength: 1, $defs: { A: {} } },
      ]) {
        expect(small({ $schema, ...rest })).toEqual({ $schema, ...rest })
      }
      for (const rest of [{ items: {} }, { $ref: '#/$defs/A', title: 'T', $defs: { A: {} } }, { contains: { const: 1 } }]) {
        expect(small({ $schema, ...rest })).toEqual(rest)
      }
    }
    expect(small({ $schema: 'https://json-schema.org/draft/2019-09/schema' })).toEqual({
      $schema: 'https://json-schema.org/draft/2019-09/schema',
    })
  })

  it('keeps what decides what is left unevaluated', () => {
    const schema = { allOf: [{ additionalProperties: true }], unevaluatedProperties: false }
    expect(small(schema)).toEqual(schema)
  })

  it('loses a root title that only repeats the name of its tool', () => {
    for (const title of ['fetch_pageArguments', 'Fetch Page', 'fetchPageOutput'])
      expect(small({ title }, 0, 'fetch_page')).toEqual({})
    expect(small({ title: 'fetch_page and more' }, 0, 'fetch_page')).toEqual({ title: 'fetch_page and more' })
    expect(small({ title: 'fetchArguments' })).toEqual({ title: 'fetchArguments' })
  })

  it('survives whatever is no schema', () => {
    for (const odd of [undefined, null, true, 1, 'x', [], [{ title: '' }]]) expect(small(odd)).toBe(odd)
    const odd = {
      properties: [],
      items: 1,
      required: 'a',
      $defs: null,
      anyOf: {},
      title: 1,
      description: [],
      $ref: 1,
      $id: {},
      not: null,
    }
    expect(small(odd)).toEqual(odd)
  })

  it('is left alone where it is nested without end', () => {
    const endless = deep(10_000)
    expect(small(endless)).toBe(endless)
    expect(JSON.stringify(small(deep(100)))).not.toContain('$comment')
  })
})

describe('a description', () => {
  it('is cut at the end of a word, the ellipsis counted in', () => {
    expect(cutDescription('The quick brown fox', 16)).toBe('The quick brown…')
    expect(cutDescription('The quick, brown fox', 12)).toBe('The quick…')
    expect(cutDescription('short', 5)).toBe('short')
  })

  it('is cut between characters where there are no words', () => {
    expect(cutDescription('多字節'.repeat(10), 10)).toBe('多字節多字節多字節…')
    expect(cutDescription('😀'.repeat(10), 6)).toBe('😀😀…')
    expect(cutDescription('word', 1)).toBe('')
  })

  it('has its white space collapsed, line breaks kept, unless all of it is wanted', () => {
    expect(cutDescription('  a \t b\n\n   c ', 100)).toBe('a b\nc')
    expect(cutDescription('  a \t b\n\n   c ', 0)).toBe('  a \t b\n\n   c ')
  })
})
