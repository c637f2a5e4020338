/** Tells a caller who went by the index what arguments a tool takes, where the tool has refused them. */
import { asBuffer, LARGE_FRAME } from '../protocol/frame.js'
import { applyEdits, elementsOf, findMember, findPath, textOf } from '../protocol/json-spans.js'
import { RPC } from '../protocol/messages.js'

/** The answer with `help` behind what it says, if it is an invalid-params error or a result with isError; else as it is. */
export function withSchemaHelp(frame: Uint8Array, help: string): Uint8Array {
  if (frame.length > LARGE_FRAME) return frame
  const bytes = asBuffer(frame)
  const error = findPath(bytes, ['error'])
  return error ? errorWithHelp(bytes, error.start, help) : resultWithHelp(bytes, help)
}

// --- internal ---

function errorWithHelp(bytes: Buffer, error: number, help: string): Buffer {
  const code = findMember(bytes, error, 'code')
  const message = findMember(bytes, error, 'message')
  if (!code || !message || Number(textOf(bytes, code)) !== RPC.invalidParams) return bytes
  const text = `${String(JSON.parse(textOf(bytes, message)))}\n\n${help}`
  return applyEdits(bytes, [{ ...message, text: JSON.stringify(text) }])
}

function resultWithHelp(bytes: Buffer, help: string): Buffer {
  const result = findPath(bytes, ['result'])
  const isError = result && findMember(bytes, result.start, 'isError')
  const content = result && findMember(bytes, result.start, 'content')
  if (!isError || !content || textOf(bytes, isError) !== 'true') return bytes
  const last = elementsOf(bytes, content.start).at(-1)
  const block = JSON.stringify({ type: 'text', text: help })
  const at = last?.end ?? content.start + 1
  return applyEdits(bytes, [{ start: at, end: at, text: last ? `,${block}` : block }])
}
