/** The blocks of a response as the upstream sent them, as a ReadResourceResult. */
import type { OpenArgs, OriginalAnswer, OriginalArgs } from '../protocol/session-api.js'
import type { SessionStore } from '../store/session-store.js'
import { tombstone, unknownLabel } from './source-notice.js'

export function originalOf(store: SessionStore, session: OpenArgs, { label, uri }: OriginalArgs): OriginalAnswer {
  const source = store.find(label)
  if (!source) return { kind: 'missing', reason: unknownLabel(label, store).text }
  const gone = tombstone(source, session)
  if (gone) return { kind: 'missing', reason: gone }
  const contents = [...store.originals(source)].map(({ text, mimeType }) =>
    Buffer.from(JSON.stringify({ uri, mimeType, text })),
  )
  const parts = contents.flatMap((entry, n) => (n === 0 ? [entry] : [COMMA, entry]))
  return { kind: 'contents', json: Buffer.concat([HEAD, ...parts, TAIL]) }
}

// --- internal ---

const HEAD = Buffer.from('{"contents":[')
const COMMA = Buffer.from(',')
const TAIL = Buffer.from(']}')
