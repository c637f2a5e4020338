/** Entries as clients see them: with exposed names, and, where that is wanted, smaller schemas and descriptions. */
import type { ExposedItem, PrepareOptions } from '../protocol/catalog-api.js'
import type { ListKind } from '../protocol/compute-api.js'
import { asRecord } from '../protocol/messages.js'
import { compressSchema } from './compress-schema.js'
import { lowerSchema } from './lower-schema.js'
import { editEntry } from './merge.js'
import { cutAtWord, firstSentence, repeatsName } from './prose.js'
import { changesBetween, type Fields, shapeEntry } from './shape-entry.js'

/** An entry, and what its JSON text stands for. */
export interface SourceEntry extends ExposedItem {
  readonly label: string
  readonly fields: Fields
}

/** The member that names an entry of each kind of list. */
export const KEY_MEMBER: Readonly<Record<ListKind, string>> = {
  tools: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
  prompts: 'name',
}

/**
 * `usable` is the tool with schemas that every client takes, its inputSchema as it is to be listed. Where nothing but the name
 * changes, all other text stays to the byte.
 */
export function listedTool(entry: SourceEntry, usable: Fields, options: PrepareOptions): string {
  if (options.disclosure) return toolStub(entry, options)
  const { outputSchema, ...inputOnly } = usable
  const kept = options.withoutOutputSchema ? inputOnly : usable
  return listed(entry, 'name', options.compress ? compressedTool(kept, entry.key, options) : kept)
}

/** A resource, template or prompt. */
export function listedOther(entry: SourceEntry, kind: Exclude<ListKind, 'tools'>, options: PrepareOptions): string {
  const { fields } = entry
  const { description } = fields
  const cut = options.compress && typeof description === 'string'
  const kept = cut ? { ...fields, description: cutAtWord(description, options.descriptionBudget) } : fields
  return listed(entry, KEY_MEMBER[kind], kept)
}

/** An entry's own title, for tools also that of their annotations; may be empty. */
export function titleOf(fields: Fields): string {
  const title = fields['title'] ?? asRecord(fields['annotations'])?.['title']
  return typeof title === 'string' ? title : ''
}

// --- internal ---

/** What neighbours in a list need for their costs to be exact: see list-cost. */
const PLAIN_START = /^\{"[\p{L}\p{N}]/u
const STUB_DESCRIPTION = 100
const STUB_SENTENCE_MIN = 30
const NOTHING = { set: new Map<string, string>(), without: new Set<string>() }

function listed(entry: SourceEntry, keyMember: string, wanted: Fields): string {
  const { exposed, json, fields } = entry
  const first = { key: keyMember, value: exposed }
  const { set, without } = changesBetween(fields, wanted)
  const droppedOnly = set.size === 0 && (without.size === 0 || (without.size === 1 && without.has('outputSchema')))
  if (!droppedOnly) return shapeEntry(json, { first, set, without })
  const edited = editEntry(entry, { set: { [keyMember]: exposed }, without: [...without] })
  return PLAIN_START.test(edited) ? edited : shapeEntry(edited, { first, ...NOTHING })
}

function compressedTool(tool: Fields, name: string, { descriptionBudget }: PrepareOptions): Fields {
  const smaller = (key: string, value: unknown): unknown => {
    switch (key) {
      case 'outputSchema':
        return compressSchema(value, { descriptionBudget, toolName: name })
      case 'description':
        return typeof value === 'string' ? cutAtWord(value, descriptionBudget) : value
      case 'title':
        return saysMore(value, name)
      case 'annotations':
        return compressedAnnotations(value, name)
      default:
        return value
    }
  }
  return keptFields(Object.entries(tool).map(([key, value]) => [key, smaller(key, value)]))
}

function compressedAnnotations(value: unknown, name: string): unknown {
  const annotations = asRecord(value)
  if (!annotations || !Object.hasOwn(annotations, 'title')) return value
  const kept = keptFields(
    Object.entries(annotations).map(([key, member]) => [key, key === 'title' ? saysMore(member, name) : member]),
  )
  return Object.keys(kept).length === 0 ? undefined : kept
}

/** A title, or undefined where it only repeats the words of the name. */
function saysMore(title: unknown, name: string): unknown {
  return typeof title === 'string' && repeatsName(title, name) ? undefined : title
}

function keptFields(entries: readonly (readonly [string, unknown])[]): Fields {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** About 40 tokens: what it is for, and where its schema is. */
function toolStub({ exposed, label, fields }: SourceEntry, { readTool, dialect }: PrepareOptions): string {
  const hint = `${readTool}("${label}") has the schema`
  const room = Math.max(STUB_SENTENCE_MIN, STUB_DESCRIPTION - hint.length - 1)
  const { description } = fields
  const sentence = typeof description === 'string' ? firstSentence(description, room) : ''
  const spaced = sentence === '' ? '' : `${sentence} `
  const { schema } = lowerSchema({ type: 'object' }, dialect)
  return JSON.stringify({ name: exposed, description: spaced + hint, inputSchema: schema })
}
