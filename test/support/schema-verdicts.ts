/** What Ajv says of values, for a schema in either dialect. */
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

export type Dialect = 'draft-07' | '2020-12'

/** Whether a value is valid; undefined where the schema refers to itself without end. */
export type Verdict = (value: unknown) => boolean | undefined

/** The dialects that `schema` may be read in: the one it names, else both. */
export function dialectsOf(schema: object): readonly Dialect[] {
  const named = String((schema as { $schema?: unknown }).$schema ?? '')
  if (named.includes('2020-12')) return ['2020-12']
  return named.includes('draft-07') ? ['draft-07'] : ['draft-07', '2020-12']
}

export type Compile = (schema: object, dialect: Dialect) => Verdict | undefined

/**
 * Compiles with one Ajv for each dialect; gives undefined where Ajv does not take a schema.
 * @param ownProperties whether what every object inherits (`constructor`) is no property of a value
 */
export function createCompile({ ownProperties = false } = {}): Compile {
  const options = { strict: false, logger: false, ownProperties, code: { optimize: false } } as const
  const validators = { 'draft-07': new Ajv(options), '2020-12': new Ajv2020(options) }
  for (const ajv of Object.values(validators)) addFormats.default(ajv)
  return (schema, dialect) => {
    try {
      const validate = validators[dialect].compile(schema)
      return (value) => verdictOf(validate, value)
    } catch {
      return undefined
    } finally {
      // Identifiers must not stay behind for the next schema.
      validators[dialect].removeSchema()
    }
  }
}

// --- internal ---

function verdictOf(validate: ValidateFunction, value: unknown): boolean | undefined {
  try {
    return validate(value) as boolean
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
