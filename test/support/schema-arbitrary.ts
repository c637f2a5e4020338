/** JSON Schemas for fast-check: every keyword that compression knows, properties with evil names, references and recursion. */
import fc from 'fast-check'

type Schema = boolean | Record<string, unknown>

const NAMES = [
  'title',
  'const',
  'examples',
  '$id',
  '$ref',
  '$defs',
  'description',
  'properties',
  'required',
  'a',
  'repo_name',
  'a/b',
  'c~d',
  '100%',
]
const EVIL = ['__proto__', 'constructor', 'toString']
const DEFINITIONS = ['A', 'a/b', 'c~d', '100%', '__proto__']

const name = fc.constantFrom(...NAMES, ...EVIL)
/** Ajv takes the others for present in every object. */
const tame = fc.constantFrom(...NAMES)
const data = fc.constantFrom<unknown>(
  null,
  1,
  'odd',
  [],
  { title: 'A', description: '', $comment: 'c', required: [] },
  { $ref: '#/$defs/A' },
)
const text = fc.constantFrom(
  '',
  ' ',
  'Repo Name',
  'Title',
  'A',
  'some  words\n\n  of text that go on and on and on',
  '多字節'.repeat(20),
)

const annotations = fc.record(
  {
    title: text,
    description: text,
    $comment: text,
    examples: fc.array(data, { maxLength: 2 }),
    default: data,
    deprecated: fc.boolean(),
    markdownDescription: text,
    'x-note': data,
  },
  { requiredKeys: [] },
)

/** Objects for fast-check with own `__proto__` where the name is. */
function mapOf(value: fc.Arbitrary<unknown>, key: fc.Arbitrary<string> = name): fc.Arbitrary<object> {
  return fc.array(fc.tuple(key, value), { maxLength: 3 }).map((entries) => Object.fromEntries(entries))
}

function pointer(container: string, key: string): string {
  return `#/${container}/${key.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25')}`
}

const references = fc.oneof(
  fc.tuple(fc.constantFrom('$defs', 'definitions'), fc.constantFrom(...DEFINITIONS)).map(([at, key]) => pointer(at, key)),
  name.map((key) => pointer('properties', key)),
  fc.constantFrom(
    '#',
    '#/additionalProperties',
    '#/properties/a/items',
    '#anchor',
    '#/$defs/A/properties/a',
    'https://example.com/s',
  ),
)

const { schema } = fc.letrec<{ schema: Schema; body: Record<string, unknown> }>((tie) => {
  const sub = tie('schema')
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    properties: mapOf(sub),
    patternProperties: mapOf(sub, fc.constantFrom('^a', 't')),
    additionalProperties: sub,
    propertyNames: fc.oneof(fc.constant({ type: 'string' }), sub),
    unevaluatedProperties: sub,
    required: fc.uniqueArray(name, { maxLength: 2 }),
    items: fc.oneof(sub, fc.array(sub, { minLength: 1, maxLength: 2 })),
    prefixItems: fc.array(sub, { minLength: 1, maxLength: 2 }),
    additionalItems: sub,
    unevaluatedItems: sub,
    contains: sub,
    minContains: fc.nat(2),
    uniqueItems: fc.boolean(),
    minItems: fc.nat(1),
    anyOf: fc.array(sub, { minLength: 1, maxLength: 2 }),
    oneOf: fc.array(sub, { minLength: 1, maxLength: 2 }),
    allOf: fc.array(sub, { minLength: 1, maxLength: 2 }),
    not: sub,
    if: sub,
    // biome-ignore lint/suspicious/noThenProperty: a keyword
    then: sub,
    else: sub,
    dependentSchemas: mapOf(sub, tame),
    dependencies: mapOf(fc.oneof(sub, fc.uniqueArray(name, { maxLength: 2 })), tame),
    dependentRequired: mapOf(fc.uniqueArray(name, { maxLength: 2 }), tame),
    contentSchema: sub,
    enum: fc.uniqueArray(data, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) }),
    const: data,
    minLength: fc.nat(2),
    minimum: fc.nat(2),
    format: fc.constantFrom('uri', 'date'),
    $ref: references,
    $defs: mapOf(sub, fc.constantFrom(...DEFINITIONS)),
    definitions: mapOf(sub, fc.constantFrom(...DEFINITIONS)),
    $id: fc.constant('https://example.com/inner'),
    $anchor: fc.constant('anchor'),
  }
  const typed = fc
    .constantFrom<unknown>('object', 'object', 'array', 'string', 'integer', ['object', 'null'])
    .map((type) => ({ type }))
  const some = fc
    .array(
      fc.constantFrom(
        ...Object.keys(keywords).filter((key) => key !== '$id' && key !== '$anchor'),
        'properties',
        'required',
        '$ref',
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((key) => [key, keywords[key] ?? sub]))))
  const rare = fc.oneof(
    { weight: 12, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record({ $anchor: keywords['$anchor'] ?? sub }) },
    { weight: 1, arbitrary: fc.record({ $id: keywords['$id'] ?? sub }) },
  )
  return {
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom<Schema>(true, false, {}, { type: 'string' }),
      tie('body'),
    ),
    body: fc.tuple(annotations, typed, some, rare).map((parts) => Object.assign({}, ...parts)),
  }
})

/** A root as tools have it: of type object, with properties, definitions, perhaps an identifier and a dialect. */
export const toolSchema: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(
    fc.record(
      {
        $schema: fc.constantFrom('http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'),
        $id: fc.constant('https://example.com/s'),
        $defs: mapOf(schema, fc.constantFrom(...DEFINITIONS)),
        definitions: mapOf(schema, fc.constantFrom(...DEFINITIONS)),
        required: fc.uniqueArray(name, { maxLength: 2 }),
        additionalProperties: schema,
        unevaluatedProperties: schema,
      },
      { requiredKeys: [] },
    ),
    annotations,
    mapOf(schema),
  )
  .map(([root, notes, properties]) => ({ ...notes, type: 'object', properties, ...root }))
