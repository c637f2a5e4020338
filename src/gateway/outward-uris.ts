/** Resource URIs inside results, under the names that the client knows them by. */
import { asBuffer } from '../protocol/frame.js'
import { applyEdits, type Edit, elementsOf, findMember, findPath, type Span, textOf } from '../protocol/json-spans.js'

/**
 * The answer with every resource URI in it exchanged for what `outward` makes of it: of links, embedded resources and contents. The
 * same bytes where nothing differs.
 */
export function withOutwardUris(frame: Uint8Array, outward: (uri: string) => string): Uint8Array {
  const result = findPath(frame, ['result'])
  if (!result) return frame
  const spans = LISTS.flatMap(({ member, urisOf }) =>
    elementsAt(frame, result, member).flatMap((element) => urisOf(frame, element)),
  )
  const edits = spans.flatMap((span): Edit[] => {
    const uri = stringAt(frame, span)
    const exposed = uri === undefined ? undefined : outward(uri)
    return exposed === undefined || exposed === uri ? [] : [{ ...span, text: JSON.stringify(exposed) }]
  })
  return edits.length === 0 ? frame : applyEdits(frame, edits)
}

// --- internal ---

/** Where results hold blocks or contents. */
const LISTS: readonly { member: string; urisOf: (frame: Uint8Array, element: Span) => Span[] }[] = [
  { member: 'content', urisOf: blockUris },
  { member: 'contents', urisOf: (frame, { start }) => present(findMember(frame, start, 'uri')) },
  { member: 'messages', urisOf: messageUris },
]

function messageUris(frame: Uint8Array, message: Span): Span[] {
  const content = findMember(frame, message.start, 'content')
  if (!content) return []
  const blocks = elementsOf(frame, content.start)
  return (blocks.length > 0 ? blocks : [content]).flatMap((block) => blockUris(frame, block))
}

/** Of a link, or of an embedded resource. */
function blockUris(frame: Uint8Array, { start }: Span): Span[] {
  return [...present(findMember(frame, start, 'uri')), ...present(findPath(frame, ['resource', 'uri'], start))]
}

function elementsAt(frame: Uint8Array, result: Span, member: string): Span[] {
  const list = findMember(frame, result.start, member)
  return list ? elementsOf(frame, list.start) : []
}

function present(span: Span | undefined): Span[] {
  return span ? [span] : []
}

function stringAt(frame: Uint8Array, span: Span): string | undefined {
  if (frame[span.start] !== 0x22) return undefined
  const value: unknown = JSON.parse(textOf(asBuffer(frame), span))
  return typeof value === 'string' ? value : undefined
}
