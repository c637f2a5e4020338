/** Says why a label cannot be read or searched, and what to do. */
import { byNearness } from '../base/nearest.js'
import type { OpenArgs, ToolText } from '../protocol/session-api.js'
import type { SessionStore } from '../store/session-store.js'
import type { SourceRow } from '../store/sql.js'

/** Labels that are compared with a wrong one. */
const KNOWN_LABELS = 2000
const NEAREST = 5

/** The tombstone of a source whose text is gone, in words; undefined while the text is there. */
export function tombstone(source: SourceRow, limits: Pick<OpenArgs, 'maxIndexBytes'>): string | undefined {
  if (source.state === 'dropped') {
    const limit = `${limits.maxIndexBytes.toLocaleString('en-US')} bytes`
    return `"${source.label}" was dropped from the index: it holds ${limit} of text, and the oldest responses make room for new ones. Call the tool again.`
  }
  if (source.state === 'lost') {
    return `"${source.label}" was lost when the session's index had to be restarted. Call the tool again.`
  }
  return undefined
}

/** Why a pending or failed source is not searched, in words; undefined for a searchable one. */
export function notSearchable({ label, state }: SourceRow, readTool: string): string | undefined {
  if (state === 'pending')
    return `"${label}" is not searchable yet, it is still being indexed: search again, or ${readTool} it.`
  if (state === 'failed') return `"${label}" cannot be searched, indexing it failed; ${readTool} reads it.`
  return undefined
}

export function unknownLabel(label: string, store: SessionStore): ToolText {
  const near = byNearness(label.slice(0, MAX_LABEL_CHARS), store.labels(KNOWN_LABELS)).slice(0, NEAREST)
  const known = near.length > 0 ? ` Nearest labels: ${near.map((name) => `"${name}"`).join(', ')}.` : ' Nothing is indexed yet.'
  return { text: `Nothing is indexed under "${shortened(label)}".${known}`, isError: true }
}

/** At most 50 labels that can be read, the nearest first. */
export function unmatchedPrefix(prefix: string, store: SessionStore): ToolText {
  const near = byNearness(prefix.slice(0, MAX_LABEL_CHARS), store.labels(KNOWN_LABELS)).slice(0, MAX_LISTED)
  const list = near.map((name) => `- ${name}`).join('\n')
  return { text: `No source has a label that starts with "${shortened(prefix)}". Indexed labels:\n${list}`, isError: true }
}

// --- internal ---

const MAX_LABEL_CHARS = 200
const MAX_LISTED = 50

function shortened(label: string): string {
  return label.length > MAX_LABEL_CHARS ? `${label.slice(0, MAX_LABEL_CHARS)}…` : label
}
