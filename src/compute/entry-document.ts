/** The documents by which the index finds and explains tools, prompts and resources: a head for hits, then all there is. */
import { type SourceEntry, titleOf } from '../catalog/listed-entry.js'
import { outlineWithin, parameterWords } from '../catalog/parameters.js'
import { cutAtWord, firstSentence, oneLine, repeatsName } from '../catalog/prose.js'
import type { CatalogDoc, CatalogServer } from '../protocol/catalog-api.js'
import { asRecord } from '../protocol/messages.js'
import { reindentJson } from '../text/json-text.js'

/** `schema`: the tool's input schema, compressed. */
export function toolDocument(entry: SourceEntry, server: CatalogServer, schema: unknown): CatalogDoc {
  const description = descriptionOf(entry)
  const start = [titleLine(entry, entry.key), ...leadingLines(description)]
  const head = [...start, ...parameterLines(schema, MAX_HEAD_BYTES - bytesOf(start))]
  return document(entry, server, {
    kind: 'tool',
    head,
    more: fullDescription(description),
    parameters: parameterWords(entry.fields['inputSchema']),
  })
}

export function promptDocument(entry: SourceEntry, server: CatalogServer): CatalogDoc {
  const description = descriptionOf(entry)
  const start = [titleLine(entry, entry.key), ...leadingLines(description)]
  const schema = argumentSchema(entry.fields['arguments'])
  const outline = outlineWithin(schema, MAX_HEAD_BYTES - bytesOf(start))
  return document(entry, server, {
    kind: 'prompt',
    head: [...start, ...(outline.length > 0 ? ['Arguments:', ...outline] : ['No arguments'])],
    more: fullDescription(description),
    parameters: parameterWords(schema),
  })
}

/** Of a resource or a template. */
export function resourceDocument(entry: SourceEntry, server: CatalogServer): CatalogDoc {
  const { name, mimeType } = entry.fields
  const description = descriptionOf(entry)
  const ownName = typeof name === 'string' && name !== '' ? name : entry.key
  const head = [
    titleLine(entry, ownName, ownName),
    `URI: ${oneLine(entry.exposed)}`,
    ...(typeof mimeType === 'string' ? [`MIME type: ${oneLine(mimeType)}`] : []),
    ...leadingLines(description),
  ]
  return document(entry, server, { kind: 'resource', head, more: fullDescription(description), parameters: entry.key })
}

export function serverField({ alias, name, title }: CatalogServer): string {
  return [...new Set([alias, name, ...(title === undefined ? [] : [title])])].join(' ')
}

/** One line for a list of what a server has. */
export function entryLine({ exposed, fields }: SourceEntry, name = exposed): string {
  const { description } = fields
  const sentence = typeof description === 'string' ? firstSentence(description, SENTENCE_CHARS) : ''
  return `- ${oneLine(name)}${sentence === '' ? '' : `: ${sentence}`}`
}

/** Line breaks of every system as `\n`. */
export function plainLines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').trim()
}

// --- internal ---

const MAX_HEAD_BYTES = 5_900
const HEAD_DESCRIPTION = 1_000
const SCHEMA_LINE = 1_800
const SENTENCE_CHARS = 160

interface DocumentParts {
  readonly kind: CatalogDoc['kind']
  /** Each one line. */
  readonly head: readonly string[]
  readonly more: readonly string[]
  readonly parameters: string
}

function document(entry: SourceEntry, server: CatalogServer, { kind, head, more, parameters }: DocumentParts): CatalogDoc {
  const { fields, label, exposed, json, key } = entry
  const { name } = fields
  return {
    label,
    kind,
    exposed,
    text: [...head, '', ...more, 'Definition:', reindentJson(json)].join('\n'),
    headLines: head.length,
    fields: {
      name: typeof name === 'string' ? name : key,
      title: titleOf(fields),
      description: descriptionOf(entry),
      parameters,
      server: serverField(server),
    },
  }
}

function descriptionOf({ fields: { description } }: SourceEntry): string {
  return typeof description === 'string' ? plainLines(description) : ''
}

function titleLine({ fields, exposed }: SourceEntry, name: string, shown = exposed): string {
  const title = oneLine(titleOf(fields))
  return title === '' || repeatsName(title, name) ? oneLine(shown) : `${oneLine(shown)} - ${title}`
}

/** The description's first lines. */
function leadingLines(description: string): string[] {
  if (description === '') return []
  if (description.length <= HEAD_DESCRIPTION) return description.split('\n')
  const end = description.lastIndexOf('\n', HEAD_DESCRIPTION)
  // A first line that is most of the text is cut within.
  const head =
    end > HEAD_DESCRIPTION / 2 ? `${description.slice(0, end).trimEnd()} …` : cutAtWord(description, HEAD_DESCRIPTION)
  return head.split('\n')
}

function fullDescription(description: string): string[] {
  return description.length <= HEAD_DESCRIPTION ? [] : ['Full description:', description, '']
}

function parameterLines(schema: unknown, maxBytes: number): string[] {
  const line = `Parameters: ${JSON.stringify(schema ?? {})}`
  if (line.length <= SCHEMA_LINE && Buffer.byteLength(line) <= maxBytes) return [line]
  return ['Parameters:', ...outlineWithin(schema, maxBytes - 'Parameters:\n'.length)]
}

/** The arguments of a prompt as a schema, so that they are shown and searched like parameters. */
function argumentSchema(given: unknown): unknown {
  const named = (Array.isArray(given) ? given : []).map(asRecord).filter((argument) => typeof argument?.['name'] === 'string')
  return {
    properties: Object.fromEntries(
      named.map((argument) => [argument?.['name'], { type: 'string', description: argument?.['description'] }]),
    ),
    required: named.filter((argument) => argument?.['required'] === true).map((argument) => argument?.['name']),
  }
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
}
