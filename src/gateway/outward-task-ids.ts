/** Ids of tasks inside what a server sends, under which the client knows them. */
import { applyEdits, elementsOf, findMember, findPath, type Span, textOf } from '../protocol/json-spans.js'

const RELATED = 'io.modelcontextprotocol/related-task'

/** A response, request or notification with the ids of tasks in it exchanged; the same bytes where nothing differs. */
export function withOutwardTaskIds(frame: Uint8Array, outward: (id: string) => string): Uint8Array {
  const holder = findPath(frame, ['result']) ?? findPath(frame, ['params'])
  if (!holder) return frame
  const tasks = findMember(frame, holder.start, 'tasks')
  const spans = [
    findMember(frame, holder.start, 'taskId'),
    findPath(frame, ['task', 'taskId'], holder.start),
    findPath(frame, ['_meta', RELATED, 'taskId'], holder.start),
    ...(tasks ? elementsOf(frame, tasks.start).map(({ start }) => findMember(frame, start, 'taskId')) : []),
  ]
  const edits = spans.flatMap((span) => {
    const id = span && stringAt(frame, span)
    const exposed = id === undefined ? undefined : outward(id)
    return span && exposed !== undefined && exposed !== id ? [{ ...span, text: JSON.stringify(exposed) }] : []
  })
  return edits.length === 0 ? frame : applyEdits(frame, edits)
}

// --- internal ---

function stringAt(frame: Uint8Array, span: Span): string | undefined {
  const value: unknown = frame[span.start] === 0x22 ? JSON.parse(textOf(frame, span)) : undefined
  return typeof value === 'string' ? value : undefined
}
