/** What prompts/get and resources/read give, as a tool would give it: to the byte, in content blocks. */
import { applyEdits, elementsOf, findMember, findPath, type Span, textOf } from '../protocol/json-spans.js'

/** The messages of a GetPromptResult as text blocks with who speaks, each before its content. Errors stay as they are. */
export function promptAsToolResult(frame: Uint8Array): Uint8Array {
  return withContent(frame, 'messages', (message) => {
    const role = findMember(frame, message.start, 'role')
    const content = findMember(frame, message.start, 'content')
    if (!content) return []
    const blocks = elementsOf(frame, content.start)
    const texts = (blocks.length > 0 ? blocks : [content]).map((block) => textOf(frame, block))
    const who = role ? (JSON.parse(textOf(frame, role)) as unknown) : 'unknown'
    return [JSON.stringify({ type: 'text', text: `[${String(who)}]` }), ...texts]
  })
}

/** The contents of a ReadResourceResult as embedded resources. */
export function resourceAsToolResult(frame: Uint8Array): Uint8Array {
  return withContent(frame, 'contents', (content) => [`{"type":"resource","resource":${textOf(frame, content)}}`])
}

// --- internal ---

function withContent(frame: Uint8Array, member: string, blocksOf: (element: Span) => string[]): Uint8Array {
  const result = findPath(frame, ['result'])
  const list = result && findMember(frame, result.start, member)
  if (!result || !list) return frame
  const blocks = elementsOf(frame, list.start).flatMap(blocksOf)
  return applyEdits(frame, [{ ...result, text: `{"content":[${blocks.join(',')}]}` }])
}
