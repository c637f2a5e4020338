/** Finds what keeps a JSON Schema from being compiled: members with values they cannot have, and references that lead nowhere. */
import { asRecord } from '../protocol/messages.js'
import { ReferenceTargets } from './reference-targets.js'
import { entryPlace, placeOf, SCHEMA_KEYWORDS, walkSchemas } from './schema-places.js'

export interface Fault {
  /** The object or array that has the member. */
  readonly node: object
  readonly key: string
  /** What may stand there in its stead; without it the member goes. */
  readonly instead?: unknown
  /** What is wrong and where, for people. */
  readonly why: string
}

/** Every fault of `root`, which must be nested no deeper than recursion reaches. */
export function findFaults(root: object): Fault[] {
  const faults: Fault[] = []
  const targets = new ReferenceTargets(root)
  const references: (Fault & { readonly ref: unknown })[] = []
  walkSchemas(root, '', (node, at) => {
    targets.add(node)
    for (const [key, value] of Object.entries(node)) {
      const where = at === '' ? 'the root' : at
      if (REFERENCES.has(key))
        references.push({ node, key, ref: value, why: `${key} ${JSON.stringify(value)} of ${where} leads nowhere` })
      else faults.push(...faultsOf({ node, key, value, where }))
    }
  })
  return [...faults, ...references.filter(({ ref }) => !targets.has(ref)).map(({ ref: _, ...fault }) => fault)]
}

/** The first pattern in `root` that is no regular expression with the `u` flag, as JSON Schema has them; undefined if all are. */
export function findBadPattern(root: object): string | undefined {
  const patterns: unknown[] = []
  walkSchemas(root, '', (node) => patterns.push(node['pattern'], ...Object.keys(asRecord(node['patternProperties']) ?? {})))
  return patterns.find((one): one is string => typeof one === 'string' && !isPattern(one))
}

// --- internal ---

type Test = (value: unknown) => boolean

interface Member {
  readonly node: object
  readonly key: string
  readonly value: unknown
  readonly where: string
}

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])
const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef'])

/** What the values of keywords without subschemas must be. */
const WANTED: ReadonlyMap<string, readonly [Test, string]> = new Map([
  ...each('$id $schema $comment title description format contentEncoding contentMediaType', [isString, 'a string']),
  ...each('pattern', [(value) => isString(value) && isExpression(value), 'a regular expression']),
  ...each('$anchor $dynamicAnchor', [(value) => isString(value) && /^[A-Za-z_][\w.-]*$/.test(value), 'an anchor']),
  ...each('minimum maximum exclusiveMinimum exclusiveMaximum', [Number.isFinite, 'a number']),
  ...each('multipleOf', [(value) => Number.isFinite(value) && Number(value) > 0, 'a number above 0']),
  ...each('minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains', [
    isCount,
    'a whole number from 0',
  ]),
  ...each('uniqueItems deprecated readOnly writeOnly', [(value) => typeof value === 'boolean', 'true or false']),
  ...each('required', [isNames, 'an array of names']),
  ...each('examples', [Array.isArray, 'an array']),
  ...each('enum', [(value) => Array.isArray(value) && value.length > 0, 'an array with a value']),
  ...each('type', [isType, 'a JSON type']),
  ...each('dependentRequired', [
    (value) => Object.values(asRecord(value) ?? { bad: value }).every(isNames),
    'an object of arrays of names',
  ]),
])

function faultsOf(member: Member): Fault[] {
  const { node, key, value, where } = member
  const wanted = WANTED.get(key)
  if (wanted) return wanted[0](value) ? [] : [fault(member, wanted[1])]
  const meant = SCHEMA_KEYWORDS.get(key)
  if (!meant) return []
  const place = placeOf(key, value)
  if (place === 'data') return [{ node, key, why: `${key} of ${where} is no ${NOUNS[meant]}` }]
  if (place === 'schema') return []
  const entries = Object.entries(value as object)
  const noPatterns = key === 'patternProperties' ? entries.filter(([name]) => !isExpression(name)) : []
  if (noPatterns.length > 0) {
    const why = (name: string) => `${JSON.stringify(name)} in ${key} of ${where} is no regular expression`
    return noPatterns.map(([name]) => ({ node: value as object, key: name, why: why(name) }))
  }
  if (place === 'list' && entries.length === 0) return [fault(member, 'a list with a schema')]
  return entries
    .filter(([, entry]) => entryPlace(entry) === 'data' && !(key === 'dependencies' && isNames(entry)))
    .map(([name]) => ({ node: value as object, key: name, instead: {}, why: `${name} in ${key} of ${where} is no schema` }))
}

const NOUNS = { schema: 'schema', map: 'object', list: 'array', data: 'value' } as const

function fault({ node, key, value, where }: Member, what: string): Fault {
  const names = key === 'required' && Array.isArray(value) ? [...new Set(value.filter(isString))] : undefined
  return { node, key, ...(names && { instead: names }), why: `${key} of ${where} is not ${what}` }
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString) && new Set(value).size === value.length
}

function isType(value: unknown): boolean {
  return Array.isArray(value)
    ? isNames(value) && value.length > 0 && value.every((one) => TYPES.has(one))
    : TYPES.has(value as string)
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') !== undefined
  } catch {
    return false
  }
}

/** Of any dialect: without the flag, which lets few characters be escaped, and with what Python, Java and PCRE have of their own. */
function isExpression(text: string): boolean {
  const plain = text.replace(FOREIGN_GROUP, (_, kind: string) => (kind === 'P<' ? '(?<' : kind.endsWith(')') ? '' : '(?:'))
  try {
    return isPattern(text) || new RegExp(plain.replace(POSSESSIVE, '$1')) !== undefined
  } catch {
    return false
  }
}

/** `(?P<name>`, `(?>`, `(?i)`, `(?i-s:`. */
const FOREIGN_GROUP = /\(\?(P<|>|[a-zA-Z]*-?[a-zA-Z]+[:)])/g
const POSSESSIVE = /([+*?}])\+/g

function each(keywords: string, rule: readonly [Test, string]): [string, readonly [Test, string]][] {
  return keywords.split(' ').map((keyword) => [keyword, rule])
}
