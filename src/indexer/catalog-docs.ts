/** A server's documents as they arrive, cut into what is indexed. */

import type { CatalogDoc } from '../protocol/catalog-api.js'
import { asRecord } from '../protocol/messages.js'
import { type CatalogChunk, type NewCatalogDoc, nameKey } from '../store/catalog-table.js'
import { chunksOf } from '../text/chunks.js'
import { LineIndex } from '../text/line-index.js'
import { sectionsOf } from '../text/sections.js'

/** @param bytes JSON text of {@link CatalogDoc}s; empty: none. Throws a SyntaxError for anything else. */
export function parseCatalogDocs(bytes: Uint8Array): NewCatalogDoc[] {
  if (bytes.byteLength === 0) return []
  // A Buffer reads shared memory where it is; TextDecoder refuses it.
  const docs: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  if (!Array.isArray(docs) || !docs.every(isDoc)) throw new SyntaxError('a catalog is an array of documents')
  return docs.map(laidOut)
}

// --- internal ---

function isDoc(doc: unknown): doc is CatalogDoc {
  const { label, text, fields } = asRecord(doc) ?? {}
  return typeof label === 'string' && typeof text === 'string' && asRecord(fields) !== undefined
}

function laidOut(doc: CatalogDoc): NewCatalogDoc {
  const { label, kind, exposed, text } = doc
  const lines = new LineIndex(text)
  return { label, kind, exposed, text, lines, chunks: kind === 'server' ? chunksIn(doc, lines) : [headOf(doc, lines)] }
}

/** An entry is one chunk: a hit shows its head, whatever of it matched. */
function headOf({ headLines, fields }: CatalogDoc, lines: LineIndex): CatalogChunk {
  const lastLine = Math.min(Math.max(1, headLines), Math.max(1, lines.count))
  return { start: 0, end: lines.end(lastLine), firstLine: 1, lastLine, title: titleOf(fields), fields }
}

/** What a server tells can be long: it is cut like any text, and each piece is ranked by its own words. */
function chunksIn({ text, fields }: CatalogDoc, lines: LineIndex): CatalogChunk[] {
  return [...chunksOf(text, lines, 'markdown', sectionsOf(text, lines, 'markdown'))].map((chunk) => ({
    ...chunk,
    title: chunk.title || titleOf(fields),
    fields: { ...fields, title: `${fields.title} ${chunk.title}`, description: text.slice(chunk.start, chunk.end) },
  }))
}

function titleOf({ name, title }: CatalogDoc['fields']): string {
  return nameKey(title) === nameKey(name) ? '' : title
}
