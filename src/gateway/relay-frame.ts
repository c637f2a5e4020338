/** Frames on their way through: what the gateway exchanges in a request, an answer or a notification, all else left to the byte. */
import { asBuffer } from '../protocol/frame.js'
import { applyEdits, type Edit, findMember, insertMember, type Span, textOf } from '../protocol/json-spans.js'

/** Exchanges inside `params`: the path to a value and what it becomes, a string or any JSON text. */
export type ParamEdit = { readonly path: readonly string[] } & ({ readonly value: string } | { readonly json: string })

/** What is asked of the upstream in place of what the client asked. */
export interface OtherRequest {
  readonly method: string
  /** JSON text of the members of its params. */
  readonly params: string
}

interface RequestEdits {
  readonly id: number
  readonly params?: readonly ParamEdit[] | undefined
}

/** A client's request as an upstream gets it: our id, which is our progress token as well, and the upstream's own names. */
export function upstreamRequest(frame: Uint8Array, edits: RequestEdits): Buffer {
  const token = String(edits.id)
  const id = findMember(frame, 0, 'id')
  const params = findMember(frame, 0, 'params')
  const done: Edit[] = id ? [{ start: id.start, end: id.end, text: token }] : []
  if (!params) done.push(insertMember(frame, 0, `"params":{"_meta":{"progressToken":${token}}}`))
  // Params that are no object have no place for a token, and are the server's to judge.
  if (!params || frame[params.start] !== 0x7b) return applyEdits(frame, done)
  done.push(progressEdit(frame, params, token))
  for (const edit of edits.params ?? []) {
    const span = spanAt(frame, params, edit.path)
    if (span) done.push({ start: span.start, end: span.end, text: 'json' in edit ? edit.json : JSON.stringify(edit.value) })
  }
  return applyEdits(frame, done)
}

/** A request of another method than the client's, as an upstream gets it. */
export function anotherRequest({ method, params }: OtherRequest, id: number): Buffer {
  return Buffer.from(
    `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":{"_meta":{"progressToken":${id}},${params}}}`,
  )
}

/** The JSON text at a path inside `params`, or undefined. */
export function paramText(frame: Uint8Array, path: readonly string[]): string | undefined {
  const params = findMember(frame, 0, 'params')
  const span = params && spanAt(frame, params, path)
  return span && textOf(frame, span)
}

/** The frame with JSON texts exchanged at paths inside `params`; a path that is not there is passed over. */
export function withParams(frame: Uint8Array, texts: readonly { path: readonly string[]; json: string }[]): Buffer {
  const params = findMember(frame, 0, 'params')
  const edits: Edit[] = []
  for (const { path, json } of texts) {
    const span = params && spanAt(frame, params, path)
    if (span) edits.push({ ...span, text: json })
  }
  return edits.length === 0 ? asBuffer(frame) : applyEdits(frame, edits)
}

// --- internal ---

function spanAt(frame: Uint8Array, params: Span, path: readonly string[]): Span | undefined {
  let span: Span | undefined = params
  for (const key of path) {
    if (!span) return undefined
    span = findMember(frame, span.start, key)
  }
  return span
}

function progressEdit(frame: Uint8Array, params: Span, token: string): Edit {
  const meta = findMember(frame, params.start, '_meta')
  if (!meta) return insertMember(frame, params.start, `"_meta":{"progressToken":${token}}`)
  if (frame[meta.start] !== 0x7b) return { ...meta, text: `{"progressToken":${token}}` }
  const known = findMember(frame, meta.start, 'progressToken')
  return known ? { ...known, text: token } : insertMember(frame, meta.start, `"progressToken":${token}`)
}
