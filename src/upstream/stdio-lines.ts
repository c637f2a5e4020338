/** What a line on a server's stdout is: one message, a batch of them, or no message at all. A cheap look; the owner validates. */
import { LARGE_FRAME } from '../protocol/frame.js'
import { elementsOf, skipSpace } from '../protocol/json-spans.js'

const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** The messages of a line; none if it is no JSON object and no array of objects. */
export function messagesOf(line: Uint8Array): Uint8Array[] {
  const start = skipSpace(line, BYTE_ORDER_MARK.every((byte, i) => line[i] === byte) ? 3 : 0)
  if (line[start] === OPEN_BRACE) return [line.subarray(start, trimmedEnd(line))]
  if (line[start] !== OPEN_BRACKET) return []
  const spans = elementsOf(line, start)
  if (!spans.every((span) => line[span.start] === OPEN_BRACE)) return []
  return spans.map((span) => {
    const message = line.subarray(span.start, span.end)
    // A large frame must have a buffer of its own, since it may be transferred.
    return message.length > LARGE_FRAME ? new Uint8Array(message) : message
  })
}

/** Whether a line that was cut may have been a message. */
export function looksLikeMessage(head: Uint8Array): boolean {
  const first = head[skipSpace(head, 0)]
  return first === OPEN_BRACE || first === OPEN_BRACKET
}

// --- internal ---

function trimmedEnd(line: Uint8Array): number {
  let end = line.length
  while (end > 0 && (line[end - 1] === 0x20 || line[end - 1] === 0x09 || line[end - 1] === 0x0d)) end--
  return end
}
