/** What the audit log keeps of an answer's bytes: a digest, the text that a model reads, whether it is an error. */
import { hash } from 'node:crypto'
import { sampleOf } from '../base/text-sample.js'
import type { ResultFacts } from './audit-api.js'
import { elementsOf, findMember, findPath, membersOf, type Span, textOf } from './json-spans.js'

/** Undefined for what has neither result nor error. Lexical: nothing but the texts is parsed. */
export function answerFacts(frame: Uint8Array): ResultFacts | undefined {
  const error = findMember(frame, 0, 'error')
  const body = error ?? findMember(frame, 0, 'result')
  if (!body) return undefined
  const flag = findMember(frame, body.start, 'isError')
  return {
    digest: digestOf(frame, body),
    text: sampleOf(error ? [stringAt(frame, findPath(frame, ['message'], error.start))] : textsOf(frame, body)),
    isError: error !== undefined || (flag !== undefined && textOf(frame, flag) === 'true'),
  }
}

/** What a model reads: not both, since not every client shows both, and what was not shown must not count as kept out. */
export function shownTexts(blocks: readonly string[], structured: string | undefined): readonly string[] {
  return blocks.length > 0 || structured === undefined ? blocks : [structured]
}

/** SHA-256 of the bytes of a span. */
export function digestOf(frame: Uint8Array, { start, end }: Span): Uint8Array {
  return hash('sha256', frame.subarray(start, end), 'buffer')
}

// --- internal ---

const QUOTE = 0x22
const OPEN_BRACKET = 0x5b
/** Where blocks of text stand in the results of tools, resources and prompts. */
const HOLDERS = new Set(['content', 'contents', 'messages', 'resource'])

/** The texts of blocks, or `structuredContent` where there are none; of what has no blocks at all, the whole. */
function textsOf(frame: Uint8Array, result: Span): readonly string[] {
  const members = membersOf(frame, result.start)
  if (!members.some(({ key }) => HOLDERS.has(key) || key === 'structuredContent')) return [textOf(frame, result)]
  const blocks: string[] = []
  collect(frame, result.start, blocks)
  const structured = members.findLast(({ key }) => key === 'structuredContent')
  return shownTexts(blocks, structured && textOf(frame, structured.value))
}

function collect(frame: Uint8Array, at: number, found: string[]): void {
  for (const { key, value } of membersOf(frame, at)) {
    if (key === 'text') found.push(stringAt(frame, value))
    else if (!HOLDERS.has(key)) continue
    else if (frame[value.start] !== OPEN_BRACKET) collect(frame, value.start, found)
    else for (const element of elementsOf(frame, value.start)) collect(frame, element.start, found)
  }
}

function stringAt(frame: Uint8Array, span: Span | undefined): string {
  if (!span) return ''
  const text = textOf(frame, span)
  if (frame[span.start] !== QUOTE) return text
  try {
    return JSON.parse(text) as string
  } catch {
    return text
  }
}
