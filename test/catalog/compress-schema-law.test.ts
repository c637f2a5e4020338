import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compressSchema } from '../../src/catalog/compress-schema.js'
import { realSchemas, realTools } from '../support/real-schemas.js'
import { toolSchema } from '../support/schema-arbitrary.js'
import { damaged, sampleOf, seeded } from '../support/schema-values.js'
import { createCompile, type Dialect, dialectsOf } from '../support/schema-verdicts.js'

const real = distinct(realSchemas())
const compile = createCompile()
const BUDGET = 24

interface Count {
  schemas: number
  compiled: number
  accepted: number
  rejected: number
}

/** Puts likely valid and damaged values to both schemas; throws where they disagree. */
function compare(schema: object, samples: number, seed: number, count: Count): void {
  const small = compressSchema(schema, { descriptionBudget: BUDGET }) as object
  const random = seeded(seed)
  const likely = Array.from({ length: samples }, () => sampleOf(schema, random))
  const values = [...likely, ...likely.map((value) => damaged(value, random))]
  count.schemas++
  const originals = new Map(dialectsOf(schema).map((dialect) => [dialect, compile(schema, dialect)]))
  for (const [one, other] of readings(schema, small)) {
    const before = originals.get(one)
    if (!before) continue
    const after = compile(small, other)
    if (!after) throw new Error(`does not compile any more: ${JSON.stringify({ schema, small, one, other })}`)
    count.compiled++
    for (const value of values) {
      const verdict = before(value)
      if (verdict === undefined) continue
      if (after(value) !== verdict) throw new Error(`${verdict} in ${one}: ${JSON.stringify({ value, schema, small, other })}`)
      count[verdict ? 'accepted' : 'rejected']++
    }
  }
}

/** Who names no dialect must mean the same as before in each; what lost its name must mean in both what it meant in its own. */
function readings(schema: object, small: object): (readonly [Dialect, Dialect])[] {
  const named = dialectsOf(schema)
  const [own] = named
  return named.length === 1 && own ? dialectsOf(small).map((other) => [own, other]) : named.map((one) => [one, one])
}

function distinct(schemas: readonly object[]): object[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

describe('compression', () => {
  it.skipIf(real.length === 0)(
    'accepts and rejects what every real schema does',
    () => {
      const count: Count = { schemas: 0, compiled: 0, accepted: 0, rejected: 0 }
      for (const [at, schema] of real.entries()) compare(schema, 4, at, count)
      const share = count.accepted / (count.accepted + count.rejected)
      expect(share).toBeGreaterThan(0.3)
      expect(share).toBeLessThan(0.8)
      expect(count.compiled).toBeGreaterThan(count.schemas * 0.8)
    },
    240_000,
  )

  it('accepts and rejects what generated schemas do', () => {
    const count: Count = { schemas: 0, compiled: 0, accepted: 0, rejected: 0 }
    fc.assert(
      fc.property(toolSchema, fc.integer(), (schema, seed) => compare(schema, 6, seed, count)),
      { numRuns: 400 },
    )
    const share = count.accepted / (count.accepted + count.rejected)
    expect(share).toBeGreaterThan(0.1)
    expect(share).toBeLessThan(0.9)
    expect(count.compiled).toBeGreaterThan(count.schemas * 0.4)
  })

  it('never grows, never changes its input, and finds nothing more to do on its own result', () => {
    const check = (schema: object, descriptionBudget: number) => {
      const text = JSON.stringify(schema)
      const small = compressSchema(schema, { descriptionBudget })
      expect(JSON.stringify(schema)).toBe(text)
      expect(bytesOf(small)).toBeLessThanOrEqual(bytesOf(schema))
      expect(JSON.stringify(compressSchema(small, { descriptionBudget }))).toBe(JSON.stringify(small))
    }
    fc.assert(fc.property(toolSchema, fc.nat(30), check), { numRuns: 1_000 })
    for (const schema of real) check(schema, 280)
  })

  it.skipIf(real.length === 0)('makes the real catalogs a tenth smaller before a single tool is deferred', () => {
    const tools = realTools()
    const small = tools.map((tool) => ({
      ...tool,
      ...Object.fromEntries(
        Object.entries(tool)
          .filter(([key]) => key.endsWith('Schema'))
          .map(([key, schema]) => [key, compressSchema(schema, { descriptionBudget: 280, toolName: tool.name })]),
      ),
    }))
    expect(bytesOf(small)).toBeLessThan(bytesOf(tools) * 0.92)
  })
})
