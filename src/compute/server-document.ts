/** The document of a server: what it is for, its complete instructions, and what it has. */
import { serverLabel } from '../catalog/labels.js'
import type { SourceEntry } from '../catalog/listed-entry.js'
import { firstSentence, oneLine, repeatsName } from '../catalog/prose.js'
import type { CatalogDoc, CatalogServer } from '../protocol/catalog-api.js'
import type { ListKind } from '../protocol/compute-api.js'
import { entryLine, plainLines, serverField } from './entry-document.js'

export function serverDocument(server: CatalogServer, lists: Readonly<Record<ListKind, readonly SourceEntry[]>>): CatalogDoc {
  const { alias, name, title = '', description = '' } = server
  const instructions = plainLines(server.instructions ?? '')
  const about = plainLines(description)
  const first = title === '' || repeatsName(title, alias) ? alias : `${alias} - ${oneLine(title)}`
  const head = [first, ...(about === '' ? [] : about.split('\n'))]
  const told = instructions === '' ? [] : ['', ...instructions.split('\n')]
  const contents = Object.entries(TITLES).flatMap(([kind, heading]) => {
    const entries = lists[kind as ListKind]
    return entries.length === 0 ? [] : ['', `${heading} (${entries.length}):`, ...entries.map((entry) => entryLine(entry))]
  })
  const lines = [...head, ...told, ...contents]
  return {
    label: serverLabel(alias),
    kind: 'server',
    exposed: alias,
    text: lines.join('\n'),
    headLines: headLines(lines, head.length),
    fields: {
      name,
      title,
      description: [about, instructions].filter((text) => text !== '').join('\n'),
      parameters: '',
      server: serverField(server),
    },
  }
}

/** The configuration's description, else the first sentence of the instructions: one line, at most 200 characters. */
export function serverSummary({ description = '', instructions = '' }: CatalogServer): string {
  return firstSentence(description, SUMMARY_CHARS) || firstSentence(instructions, SUMMARY_CHARS)
}

// --- internal ---

const SUMMARY_CHARS = 200
const HEAD_CHARS = 1_500
const TITLES: Readonly<Record<ListKind, string>> = {
  tools: 'Tools',
  resources: 'Resources',
  resourceTemplates: 'Resource templates',
  prompts: 'Prompts',
}

/** As many lines as fit, but at least the first `min`. */
function headLines(lines: readonly string[], min: number): number {
  let chars = 0
  const over = lines.findIndex((line) => {
    chars += line.length + 1
    return chars > HEAD_CHARS
  })
  return Math.max(min, over < 0 ? lines.length : over)
}
