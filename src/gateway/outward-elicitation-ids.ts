/** Ids of URL elicitations inside what a server sends, under which the client knows them. */
import { asBuffer, LARGE_FRAME } from '../protocol/frame.js'
import { applyEdits, elementsOf, findMember, findPath, type Span, textOf } from '../protocol/json-spans.js'

const ID = 'elicitationId'
const CODE = Buffer.from('-32042')

/** `elicitation/create` and `notifications/elicitation/complete` name one each. */
export function isElicitation(method: string): boolean {
  return method === 'elicitation/create' || method === 'notifications/elicitation/complete'
}

/** A request or notification with the id in its params exchanged; the same bytes where nothing differs. */
export function withOutwardElicitation(frame: Uint8Array, outward: (id: string) => string): Uint8Array {
  return exchanged(frame, [findPath(frame, ['params', ID])], outward)
}

/** An answer that is the error URLElicitationRequired (-32042), with the ids in its data exchanged; any other as it is. */
export function withOutwardElicitations(frame: Uint8Array, outward: (id: string) => string): Uint8Array {
  // Most answers are told from it by a search for its code. One this long would be no list of a few URLs.
  if (frame.length > LARGE_FRAME || !asBuffer(frame).includes(CODE)) return frame
  const error = findMember(frame, 0, 'error')
  const code = error && findMember(frame, error.start, 'code')
  const list = error && findPath(frame, ['data', 'elicitations'], error.start)
  if (!code || !list || textOf(frame, code) !== '-32042') return frame
  const spans = elementsOf(frame, list.start).map(({ start }) => findMember(frame, start, ID))
  return exchanged(frame, spans, outward)
}

// --- internal ---

function exchanged(frame: Uint8Array, spans: readonly (Span | undefined)[], outward: (id: string) => string): Uint8Array {
  const edits = spans.flatMap((span) => {
    const id: unknown = span && frame[span.start] === QUOTE ? JSON.parse(textOf(frame, span)) : undefined
    const exposed = typeof id === 'string' ? outward(id) : id
    return span && exposed !== id ? [{ ...span, text: JSON.stringify(exposed) }] : []
  })
  return edits.length === 0 ? frame : applyEdits(frame, edits)
}

const QUOTE = 0x22
