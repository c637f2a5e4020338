import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compressSchema } from '../../src/catalog/compress-schema.js'
import { lowerTool } from '../../src/catalog/lower-tool.js'
import { repairTool } from '../../src/catalog/repair-tool.js'
import { type Api, asJsonSchema, refusals } from '../support/api-rules.js'
import { realTools, sampledTools } from '../support/real-schemas.js'
import { toolSchema } from '../support/schema-arbitrary.js'
import { damaged, sampleOf, seeded } from '../support/schema-values.js'
import { createCompile, type Dialect, dialectsOf } from '../support/schema-verdicts.js'

const APIS: readonly Api[] = ['claude', 'openai', 'gemini']
const real = realTools()
const compile = createCompile({ ownProperties: true })

/** What a list has of a tool's inputSchema. */
function listed(inputSchema: unknown, dialect: Api | 'common'): object {
  const { tool } = repairTool({ name: 't', inputSchema })
  const small = compressSchema(tool['inputSchema'], { descriptionBudget: 80, toolName: 't' })
  return lowerTool({ ...tool, inputSchema: small }, dialect, 80).tool['inputSchema'] as object
}

interface Count {
  accepted: number
}

/** Puts likely valid and damaged arguments to both; throws where the lowered schema refuses what the original accepts. */
function compare(schema: object, api: Api, seed: number, count: Count): void {
  const lowered = listed(schema, api)
  const random = seeded(seed)
  const likely = Array.from({ length: 5 }, () => sampleOf(schema, random))
  const values = [...likely, ...likely.map((value) => damaged(value, random))]
  for (const [one, other] of readings(schema, lowered, api)) {
    const original = compile(schema, one)
    if (!original) continue
    const validate = compile(api === 'gemini' ? asJsonSchema(lowered) : lowered, other)
    if (!validate) throw new Error(`does not compile any more: ${JSON.stringify({ api, schema, lowered, one, other })}`)
    for (const value of values) {
      if (original(value) !== true || !isSayable(value, api)) continue
      count.accepted++
      if (validate(value) === false) throw new Error(`refused: ${JSON.stringify({ api, value, schema, lowered, one, other })}`)
    }
  }
}

/** What names no dialect is read alike in each; what has lost its name must be right in both. */
function readings(schema: object, lowered: object, api: Api): (readonly [Dialect, Dialect])[] {
  const named = dialectsOf(schema)
  const [own] = named
  if (named.length === 1 && own) return dialectsOf(lowered).map((other) => [own, other])
  return named.map((one) => [one, api === 'gemini' ? '2020-12' : one])
}

/** Arguments are objects. Gemini has no schema for an array of arrays of anything. */
function isSayable(value: unknown, api: Api): boolean {
  const isDeep = (one: unknown, arrays: number): boolean => {
    if (typeof one !== 'object' || one === null) return false
    return arrays > 1 || Object.values(one).some((inner) => isDeep(inner, Array.isArray(inner) ? arrays + 1 : 0))
  }
  const isArguments = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isArguments && !(api === 'gemini' && isDeep(value, 0))
}

describe.each(APIS)('the list for %s', (api) => {
  it.skipIf(real.length === 0)('has all of the 1,560 real tools, and nothing that its API refuses', () => {
    const faults = [...real, ...sampledTools()].flatMap(({ name, inputSchema }) =>
      refusals(listed(inputSchema, api), api).map((fault) => `${name}: ${fault}`),
    )
    expect(real).toHaveLength(1_560)
    expect(faults).toEqual([])
  })

  it.skipIf(real.length === 0)(
    'accepts what real schemas accept',
    () => {
      const count: Count = { accepted: 0 }
      const schemas = [...real, ...sampledTools()].map((tool) => tool['inputSchema'])
      for (const [at, schema] of schemas.entries()) if (typeof schema === 'object' && schema) compare(schema, api, at, count)
      expect(count.accepted).toBeGreaterThan(schemas.length * 3)
    },
    240_000,
  )

  it('has nothing that its API refuses, whatever a schema holds', () => {
    fc.assert(
      fc.property(rooted, (schema) => {
        const text = JSON.stringify(schema)
        expect(refusals(listed(schema, api), api)).toEqual([])
        expect(JSON.stringify(schema)).toBe(text)
      }),
      { numRuns: 1_000 },
    )
  })

  it('accepts what generated schemas accept', () => {
    const count: Count = { accepted: 0 }
    fc.assert(
      fc.property(rooted, fc.integer(), (schema, seed) => compare(schema, api, seed, count)),
      { numRuns: 600 },
    )
    expect(count.accepted).toBeGreaterThan(300)
  })
})

it('finds nothing more to do on what it has lowered', () => {
  fc.assert(
    fc.property(rooted, (schema) => {
      for (const dialect of ['claude', 'openai', 'common'] as const) {
        const once = listed(schema, dialect)
        expect(lowerTool({ name: 't', inputSchema: once }, dialect, 80)).toEqual({
          tool: { name: 't', inputSchema: once },
          lowered: [],
        })
      }
    }),
  )
})

it('keeps to the rules of both Claude and OpenAI where the client is not known', () => {
  fc.assert(
    fc.property(rooted, (schema) => {
      const lowered = listed(schema, 'common')
      expect([...refusals(lowered, 'claude'), ...refusals(lowered, 'openai')]).toEqual([])
    }),
  )
})

/** Roots of tools, half of them with what APIs refuse there. */
const rooted = fc
  .tuple(toolSchema, fc.array(toolSchema, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '', 'anyOf', 'oneOf', 'allOf'))
  .map(([root, branches, key]) => (key === '' ? root : { ...root, [key]: branches }))
