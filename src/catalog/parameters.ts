/** A tool's parameters for the reader and for the search: an outline, and the words in their names and descriptions. */
import { cutAtWord, firstSentence, oneLine } from './prose.js'
import { type SchemaMember, type SchemaShape, shapeOf } from './schema-shape.js'

/** One line a parameter, nested ones indented: `name: type (required) - first sentence`. */
export function parameterOutline(schema: unknown, detail: OutlineDetail): string[] {
  const lines: string[] = []
  const outline: Outline = { root: schema, detail, lines, visitsLeft: MAX_NESTED }
  addMembers(outline, shapeOf(schema, schema), 1, [])
  return lines
}

export interface OutlineDetail {
  /** Levels that are shown; 1: those of the tool itself. */
  readonly depth: number
  /** Characters of a description; 0: none. */
  readonly description: number
}

/** The outline with the most detail that takes at most `maxBytes`; whatever the limit, all parameters of the tool itself are named. */
export function outlineWithin(schema: unknown, maxBytes: number): string[] {
  for (const detail of DETAILS) {
    const lines = parameterOutline(schema, detail)
    if (lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0) <= maxBytes) return lines
  }
  const members = [...shapeOf(schema, schema).members]
  return [`  ${members.map(([name, { required }]) => nameText(name) + (required ? ' (required)' : '')).join(', ')}`]
}

/** Names and descriptions of parameters at every depth, each schema once. */
export function parameterWords(schema: unknown): string {
  const words: string[] = []
  const seen = new Set<unknown>()
  const queue: unknown[] = [schema]
  for (const part of queue) {
    if (queue.length > MAX_WORD_SCHEMAS) break
    const shape = shapeOf(part, schema)
    const fresh = [...shape.sources].some((source) => !seen.has(source))
    if (!fresh) continue
    for (const source of shape.sources) seen.add(source)
    for (const [name, member] of shape.members) {
      words.push(name, shapeOf(member.schema, schema).description)
      queue.push(member.schema)
    }
    queue.push(...shape.inner)
  }
  return words.filter((word) => word !== '').join('\n')
}

// --- internal ---

/** Descriptions are shortened before levels are dropped. */
const DETAILS: readonly OutlineDetail[] = [
  { depth: 8, description: 100 },
  { depth: 8, description: 60 },
  { depth: 8, description: 30 },
  { depth: 2, description: 100 },
  { depth: 2, description: 60 },
  { depth: 2, description: 0 },
  { depth: 1, description: 60 },
  { depth: 1, description: 0 },
]
/** Nested schemas beyond so many are left out: definitions that refer to each other can make endlessly many. */
const MAX_NESTED = 400
const MAX_NESTING = 32
const MAX_WORD_SCHEMAS = 20_000
const NAME_CHARS = 100

interface Outline {
  readonly root: unknown
  readonly detail: OutlineDetail
  readonly lines: string[]
  visitsLeft: number
}

/** `above`: the shapes that this one is nested in. */
function addMembers(outline: Outline, shape: SchemaShape, depth: number, above: readonly SchemaShape[]): void {
  const { root, detail, lines } = outline
  if (depth > detail.depth) return
  for (const [name, member] of shape.members) {
    const inside = shapeOf(member.schema, root)
    lines.push(`${'  '.repeat(depth)}${memberLine(name, member, inside, detail.description)}`)
    nest(outline, inside, depth, [...above, shape])
  }
}

/** What is in an object, or in the objects of an array or a map; nothing where a schema contains itself. */
function nest(outline: Outline, inside: SchemaShape, depth: number, above: readonly SchemaShape[]): void {
  if (depth >= outline.detail.depth || above.length > MAX_NESTING || repeats(inside, above)) return
  if (outline.visitsLeft-- <= 0) return
  addMembers(outline, inside, depth + 1, above)
  for (const inner of inside.inner) nest(outline, shapeOf(inner, outline.root), depth, [...above, inside])
}

function repeats(shape: SchemaShape, above: readonly SchemaShape[]): boolean {
  return above.some(({ sources }) => [...shape.sources].some((source) => sources.has(source)))
}

function memberLine(name: string, { required }: SchemaMember, { types, description }: SchemaShape, chars: number): string {
  const need = required ? ' (required)' : ''
  const text = chars > 0 && description !== '' ? ` - ${firstSentence(description, chars)}` : ''
  return `${nameText(name)}: ${types.join(' | ') || 'any'}${need}${text}`
}

function nameText(name: string): string {
  return cutAtWord(oneLine(name), NAME_CHARS)
}
