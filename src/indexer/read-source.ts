/** IndexRead: numbered lines of a source from an offset on. */
import type { OpenArgs, ReadArgs, ToolText } from '../protocol/session-api.js'
import { renderRead } from '../receipt/read-answer.js'
import type { SessionStore } from '../store/session-store.js'
import type { SourceText } from '../store/source-text.js'
import { tombstone, unknownLabel } from './source-notice.js'

export function readSource(store: SessionStore, session: OpenArgs, args: ReadArgs): ToolText {
  const source = store.find(args.label)
  if (!source) return unknownLabel(args.label, store)
  const gone = tombstone(source, session)
  if (gone) return failed(gone)
  const text = store.text(source)
  const place = placeOf(args.offset, text)
  if ('fault' in place) return failed(place.fault)
  const rows = text.rows(place.line, place.part)
  return {
    text: renderRead({ rows, totalLines: text.lines, limit: limitOf(args.limit), maxBytes: args.maxBytes }),
    isError: false,
  }
}

// --- internal ---

const OFFSET = /^\s*(\d{1,15})(?:-(\d{1,15}))?\s*$/

type Place = { readonly line: number; readonly part: number } | { readonly fault: string }

function placeOf(offset: string, text: SourceText): Place {
  const found = OFFSET.exec(offset)
  const line = Number(found?.[1])
  const part = found?.[2] === undefined ? 0 : Number(found[2])
  if (!found || line < 1 || (found[2] !== undefined && part < 1)) {
    return { fault: `"${offset.slice(0, 40)}" is no offset: give a line from 1 ("41") or a part of a long line ("7-3").` }
  }
  if (line > text.lines) return { fault: `offset "${offset}" is beyond the end: the text has ${text.lines} lines.` }
  const parts = text.partsOf(line)
  if (part > parts)
    return { fault: `offset "${offset}" is beyond the end: line ${line} has ${parts} ${parts > 1 ? 'parts' : 'part'}.` }
  return { line, part }
}

function limitOf(limit: number): number {
  return Number.isFinite(limit) ? Math.max(1, Math.floor(limit)) : 200
}

function failed(text: string): ToolText {
  return { text, isError: true }
}
