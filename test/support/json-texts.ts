/** Arbitrary JSON texts, as servers write them and as they could: any white space, numbers, escapes, duplicate keys. */
import fc from 'fast-check'

const space = fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.constantFrom(' ', '\n', '\r\n', '\t', '  \n  '))

const number = fc.oneof(
  fc.constantFrom('1.0', '-0', '1e400', '1E+2', '0.10', '123456789012345678901234567890', '-1.5e-7'),
  fc.integer().map(String),
)

export const jsonString = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"\\u00e9"',
    '"\\ud83d"',
    '"\\ud83d\\ude00"',
    '"\\\\"',
    '"a\\"b"',
    '"\\/"',
    '"{[:,]}"',
    '"key"',
    '""',
    '"漢字"',
  ),
)

/** One JSON value; objects and arrays with white space anywhere JSON allows it. */
export const jsonValue: fc.Arbitrary<string> = fc.letrec<{ value: string; container: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    number,
    jsonString,
    fc.constantFrom('true', 'false', 'null'),
    tie('container'),
  ),
  container: fc.oneof(
    fc
      .array(fc.tuple(space, tie('value'), space), { maxLength: 5 })
      .map((items) => `[${items.map((item) => item.join('')).join(',')}]`),
    fc
      .array(fc.tuple(space, jsonString, space, fc.constant(':'), space, tie('value'), space), { maxLength: 5 })
      .map((members) => `{${members.map((member) => member.join('')).join(',')}}`),
    space.map((inside) => `[${inside}]`),
    space.map((inside) => `{${inside}}`),
  ),
})).value

/** One object or array with white space around it. */
export const jsonText = fc
  .tuple(space, jsonValue, space)
  .filter(([, value]) => /^[{[]/.test(value))
  .map((parts) => parts.join(''))

/** The tokens of a JSON text, white space left out. */
export function tokensOf(text: string): string[] {
  return text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs) ?? []
}
