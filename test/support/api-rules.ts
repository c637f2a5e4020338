/** What LLM APIs take for a tool's input schema, written down from their documentation and their refusals: says what is against it. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { walkSchemas } from '../../src/catalog/schema-places.js'
import { asRecord } from '../../src/protocol/messages.js'

type Schema = Readonly<Record<string, unknown>>
export type Api = 'claude' | 'openai' | 'gemini'

/** Why the API refuses a schema; empty if it takes it. */
export function refusals(schema: object, api: Api): string[] {
  const root = schema as Schema
  const faults = root['type'] === 'object' ? [] : ['the root is no object']
  if (api === 'gemini') return [...faults, ...geminiFaults(root, 'root')]
  return [...faults, ...metaFaults(root), ...(api === 'claude' ? claudeFaults(root) : openaiFaults(root))]
}

/** As JSON Schema, what a Gemini schema means. */
export function asJsonSchema(gemini: object): object {
  const { nullable, properties, items, anyOf, ...rest } = gemini as Schema
  const node = {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as object).map(([name, inner]) => [name, asJsonSchema(inner as object)]),
      ),
    }),
    ...(items !== undefined && { items: asJsonSchema(items as object) }),
    ...(anyOf !== undefined && { anyOf: (anyOf as object[]).map(asJsonSchema) }),
  }
  return nullable === true ? { anyOf: [node, { type: 'null' }] } : node
}

// --- internal ---

const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false })

/** Both APIs check a schema against the meta-schema of 2020-12. */
function metaFaults(root: Schema): string[] {
  const { $schema: _, ...rest } = root
  return ajv.validateSchema(rest) === true ? [] : [`no schema of 2020-12: ${ajv.errorsText(ajv.errors)}`]
}

/** "input_schema does not support oneOf, allOf, or anyOf at the top level"; "Property keys should match pattern …". */
function claudeFaults(root: Schema): string[] {
  const names = Object.keys(asRecord(root['properties']) ?? {}).filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
  return [...atRoot(root, ['anyOf', 'oneOf', 'allOf']), ...names.map((name) => `the name ${name}`)]
}

/**
 * "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"; "object schema missing
 * properties"; "array schema missing items"; "… is not a 'regex'", by Python's rules.
 */
function openaiFaults(root: Schema): string[] {
  const faults = atRoot(root, ['anyOf', 'oneOf', 'allOf', 'enum', 'not'])
  if (!asRecord(root['properties'])) faults.push('object schema missing properties')
  walkSchemas(root, '', ({ type, items, pattern }, at) => {
    if ([type].flat().includes('array') && items === undefined) faults.push(`array schema missing items at ${at}`)
    if (Array.isArray(items)) faults.push(`items of ${at} is a list`)
    if (typeof pattern === 'string' && /\\[pPkc]|\\u\{|\(\?<[A-Za-z_$]/.test(pattern)) faults.push(`${pattern} is not a regex`)
  })
  return faults
}

function atRoot(root: Schema, keywords: readonly string[]): string[] {
  return keywords.filter((key) => Object.hasOwn(root, key)).map((key) => `${key} at the root`)
}

/** The members of the type Schema of the Gemini API, by what they may hold. */
const GEMINI: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => ['string', 'number', 'integer', 'boolean', 'array', 'object'].includes(value as string),
  format: (value) => typeof value === 'string',
  title: (value) => typeof value === 'string',
  description: (value) => typeof value === 'string',
  nullable: (value) => typeof value === 'boolean',
  enum: (value) => Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== ''),
  minItems: Number.isInteger,
  maxItems: Number.isInteger,
  minLength: Number.isInteger,
  maxLength: Number.isInteger,
  minProperties: Number.isInteger,
  maxProperties: Number.isInteger,
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  pattern: (value) => typeof value === 'string',
  default: () => true,
  properties: (value) => Object.keys(asRecord(value) ?? {}).length > 0,
  required: Array.isArray,
  items: (value) => asRecord(value) !== undefined,
  anyOf: Array.isArray,
}

function geminiFaults(schema: Schema, at: string): string[] {
  const keys = Object.keys(schema)
  const faults = keys
    .filter((key) => !(Object.hasOwn(GEMINI, key) && GEMINI[key]?.(schema[key])))
    .map((key) => `${key} of ${at}`)
  const { type, anyOf, items, required, enum: values, format } = schema
  if (anyOf !== undefined && keys.length > 1) faults.push(`${at} has ${keys.join(', ')} beside anyOf`)
  if (anyOf === undefined && type === undefined) faults.push(`${at} has no type`)
  if (type === 'array' && items === undefined) faults.push(`${at} is an array without items`)
  if (values !== undefined && type !== 'string') faults.push(`${at} has an enum and is no string`)
  if (format !== undefined && !(FORMATS[String(type)] ?? []).includes(String(format)))
    faults.push(`${at} has the format ${format}`)
  const properties = asRecord(schema['properties']) ?? {}
  const unknown = (Array.isArray(required) ? required : []).filter((name) => !Object.hasOwn(properties, name))
  faults.push(...unknown.map((name) => `required ${name} of ${at} is not defined`))
  for (const [name, inner] of Object.entries(properties)) faults.push(...geminiFaults(inner as Schema, `${at}.${name}`))
  if (asRecord(items)) faults.push(...geminiFaults(items as Schema, `${at}[]`))
  if (Array.isArray(anyOf)) for (const one of anyOf) faults.push(...geminiFaults(one as Schema, `${at}|`))
  return faults
}

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}
