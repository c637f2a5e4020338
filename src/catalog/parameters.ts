/** A tool's parameters for the reader and for the search: an outline, and the words in their names and descriptions. */
import { cutAtWord, firstSentence, oneLine } from './prose.js'
import { type SchemaMember, type SchemaShape, shapesOf } from './schema-shape.js'
import type { Fields } from './shape-entry.js'

/**
 * One line a parameter, nested ones indented: `name: type (required) - first sentence`. Of what fits in `maxBytes` the outline
 * with the most detail; whatever the limit, all parameters of the tool itself are named, with their types up to 16 KB.
 */
export function parameterOutline(schema: unknown, maxBytes: number): string[] {
  const shape = shapesOf(schema)
  for (const detail of DETAILS) {
    const outline: Outline = { shape, detail, lines: [], visitsLeft: MAX_NESTED }
    addLevel(outline, levelOf(outline, shape(schema), NONE), 1)
    const isLeast = detail === DETAILS.at(-1)
    const bytes = outline.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
    if (bytes <= (isLeast ? Math.max(maxBytes, MAX_TYPED_BYTES) : maxBytes)) return outline.lines
  }
  const members = [...shape(schema).members]
  return [
    '  (names only; the definition below has the types)',
    `  ${members.map(([name, { required }]) => nameText(name) + (required ? ' (required)' : '')).join(', ')}`,
  ]
}

/** Names and descriptions of parameters at every depth, each schema once. */
export function parameterWords(schema: unknown): string {
  const words: string[] = []
  const shapeOf = shapesOf(schema)
  const seen = new Set<Fields>()
  const told = new Set<unknown>()
  const queue: unknown[] = [schema]
  for (const part of queue) {
    if (queue.length > MAX_WORD_SCHEMAS) break
    const shape = shapeOf(part)
    if (!isNew(shape, seen)) continue
    for (const source of shape.sources) seen.add(source)
    for (const [name, member] of shape.members) {
      if (typeof member.schema === 'object' && told.has(member.schema)) continue
      told.add(member.schema)
      words.push(name, shapeOf(member.schema).description)
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
/** Types are worth more room than anything else that is said of a parameter. */
const MAX_TYPED_BYTES = 16_384
/** Nested schemas beyond so many are left out: definitions that refer to each other can make endlessly many. */
const MAX_NESTED = 200
const MAX_QUEUE = 32
const MAX_WORD_SCHEMAS = 20_000
const NAME_CHARS = 100

const NONE: ReadonlySet<Fields> = new Set()

interface OutlineDetail {
  /** Levels that are shown; 1: those of the tool itself. */
  readonly depth: number
  /** Characters of a description; 0: none. */
  readonly description: number
}

interface Outline {
  readonly shape: (schema: unknown) => SchemaShape
  readonly detail: OutlineDetail
  readonly lines: string[]
  visitsLeft: number
}

/** Members that are shown one below the other, and the schemas they come from, those above included. */
interface Level {
  readonly members: ReadonlyMap<string, SchemaMember>
  readonly sources: ReadonlySet<Fields>
}

/** The members of an object, or of the objects in an array or a map; none where a schema contains itself. */
function levelOf({ shape }: Outline, top: SchemaShape, above: ReadonlySet<Fields>): Level {
  const members = new Map<string, SchemaMember>()
  const sources = new Set(above)
  const queue = [top]
  for (const next of queue) {
    if (next.sources.size === 0 || [...next.sources].some((source) => sources.has(source))) continue
    for (const source of next.sources) sources.add(source)
    for (const [name, member] of next.members) if (!members.has(name)) members.set(name, member)
    if (queue.length < MAX_QUEUE) queue.push(...next.inner.map(shape))
  }
  return { members, sources }
}

function addLevel(outline: Outline, { members, sources }: Level, depth: number): void {
  const { shape, detail, lines } = outline
  for (const [name, member] of members) {
    const inside = shape(member.schema)
    lines.push(`${'  '.repeat(depth)}${memberLine(name, member, inside, detail.description)}`)
    const hasMore = depth < detail.depth && inside.members.size + inside.inner.length > 0
    if (hasMore && outline.visitsLeft-- > 0) addLevel(outline, levelOf(outline, inside, sources), depth + 1)
  }
}

function isNew({ sources }: SchemaShape, seen: ReadonlySet<Fields>): boolean {
  return [...sources].some((source) => !seen.has(source))
}

function memberLine(name: string, { required }: SchemaMember, { types, description }: SchemaShape, chars: number): string {
  const need = required ? ' (required)' : ''
  const text = chars > 0 && description !== '' ? ` - ${firstSentence(description, chars)}` : ''
  return `${nameText(name)}: ${oneLine(types.join(' | ')) || 'any'}${need}${text}`
}

function nameText(name: string): string {
  return cutAtWord(oneLine(name), NAME_CHARS)
}
